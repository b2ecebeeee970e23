import { detectSandbox, fileConfinement, type Sandbox } from '@polylogue/tools'
import type { ToolSettings } from '../config/tool-settings.ts'

/** What keeps tools away from the rest of the machine. */
export interface Confinement {
  /** Of shell commands. */
  readonly sandbox: Sandbox
  /** Of the file tools. */
  readonly files: typeof fileConfinement
}

export async function findConfinement({ sandbox }: Pick<ToolSettings['bash'], 'sandbox'>): Promise<Confinement> {
  return { sandbox: sandbox === 'none' ? 'none' : await detectSandbox(), files: fileConfinement }
}

/** For whoever starts the server. */
export function describeConfinement({ sandbox, files }: Confinement): string {
  const commands =
    sandbox === 'bubblewrap'
      ? 'Shell commands run in bubblewrap: they write only where their session works and have no network.'
      : 'none: shell commands run with all rights of the user who runs the server (see docs/permissions.md).'
  return files === 'best-effort' ? `${commands} File tools are confined as well as this system allows.` : commands
}
