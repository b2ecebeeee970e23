import { detectSandbox, fileConfinement, hasUnixShell, type Sandbox } from '@polylogue/tools'
import type { ToolSettings } from '../config/tool-settings.ts'

/** What keeps tools away from the rest of the machine. */
export interface Confinement {
  /** Of shell commands. */
  readonly sandbox: Sandbox
  /** Of the file tools. */
  readonly files: typeof fileConfinement
  /** Who has `Bash` and MCP servers that are programs. */
  readonly programs: 'everyone' | 'local'
}

type BashSettings = Pick<ToolSettings['bash'], 'sandbox' | 'withoutSandbox'>

export async function findConfinement({ sandbox: wanted, withoutSandbox }: BashSettings): Promise<Confinement> {
  const sandbox = wanted === 'none' ? 'none' : await detectSandbox()
  return { sandbox, files: fileConfinement, programs: sandbox === 'none' ? withoutSandbox : 'everyone' }
}

/** For whoever starts the server. */
export function describeConfinement({ sandbox, files, programs }: Confinement, system = process.platform): string {
  const commands = !hasUnixShell(system)
    ? `none: Bash, Diagnostics and Background need a Unix shell; run Polylogue in WSL to use them. ${WITHOUT[programs]}`
    : sandbox === 'bubblewrap'
      ? 'Shell commands run in bubblewrap: they see programs and the directory of their session, and have a network only if an approval gives one.'
      : `none: shell commands run with all rights of the user who runs the server (see docs/security.md). ${WITHOUT[programs]}`
  return files === 'best-effort' ? `${commands} File tools are confined as well as this system allows.` : commands
}

const WITHOUT: { readonly [programs in Confinement['programs']]: string } = {
  local: 'Only the user local has Bash and MCP servers that are programs.',
  everyone: 'Every user has Bash and MCP servers that are programs, and with them everything the server can do.',
}
