import { buildSandboxArgv } from './sandbox-argv.ts'
import { probeProgram } from './spawn-command.ts'

export type Sandbox = 'bubblewrap' | 'none'

export const SANDBOX_PROGRAM = 'bwrap'

let detected: Promise<Sandbox> | undefined

/** Tries bubblewrap once: it may be there and yet not be allowed to make namespaces. */
export function detectSandbox(): Promise<Sandbox> {
  detected ??= probe()
  return detected
}

async function probe(): Promise<Sandbox> {
  if (process.platform !== 'linux') return 'none'
  const plan = { cwd: '/', writable: [], readable: [], hidden: [], network: false }
  return (await probeProgram(SANDBOX_PROGRAM, [...buildSandboxArgv(plan), '--', '/bin/true'])) ? 'bubblewrap' : 'none'
}
