import type { ToolSettings } from '../config/tool-settings.ts'
import type { Confinement } from '../platform/confinement.ts'

export interface SandboxFacts {
  readonly sandbox: Confinement['sandbox']
  /** As configured. */
  readonly network: ToolSettings['bash']['network']
}

/** What commands can do, for the model: it must recognise a failure that the sandbox caused. */
export function describeSandbox({ sandbox, network }: SandboxFacts): string {
  if (sandbox === 'none') return 'none; commands have the rights of the user who runs the server'
  return (
    `bubblewrap, ${REACH[String(network)] ?? ''}; commands write to the working directory, to ~/.cache, which is kept, and to ` +
    'an empty /tmp and home of their own. A result says when the sandbox made a command fail.'
  )
}

const ASKED =
  'without a network, except for approved commands that show that they need it (npm install, curl URL, git push)'
const REACH: { readonly [network: string]: string } = {
  true: 'with a network',
  false: 'without a network: downloads and package registries fail',
  local: `${ASKED}; only those of the user who runs the server`,
  everyone: ASKED,
}
