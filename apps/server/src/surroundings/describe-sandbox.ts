import type { Confinement } from '../platform/confinement.ts'

export interface SandboxFacts {
  readonly sandbox: Confinement['sandbox']
  /** Commands have a network, as configured. */
  readonly network: boolean
}

/** What commands can do, for the model: it must recognise a failure that the sandbox caused. */
export function describeSandbox({ sandbox, network }: SandboxFacts): string {
  if (sandbox === 'none') return 'none; commands have the rights of the user who runs the server'
  const reach = network ? 'with a network' : 'without a network: downloads and package registries fail'
  return `bubblewrap, ${reach}; commands write to the working directory and to an empty /tmp and home of their own`
}
