import { defaultDataDir, type ServeOptions } from '@polylogue/server'
import { resolve } from 'node:path'

/** Which data directory a verb uses, and how to open it when no server is running. */
export interface OwnerFlags {
  readonly data?: string
  readonly database?: string
  readonly config?: string
  readonly scripted?: boolean
  /** The log is written if `POLYLOGUE_LOG` asks for it. Other verbs write none. */
  readonly mayLog?: boolean
}

export function toOwnerOptions(flags: OwnerFlags): ServeOptions {
  const startDir = process.cwd()
  return {
    dataDir: flags.data === undefined ? defaultDataDir(process.env, startDir) : resolve(startDir, flags.data),
    startDir,
    // Loaded when it is needed: an editor waits for everything that is imported here.
    approveFolder: async (directory) => (await import('./approve-folder.ts')).approveFolder(directory),
    ...(flags.database === undefined ? {} : { database: flags.database }),
    ...workspacesOption(),
    ...(flags.config === undefined ? {} : { configFile: resolve(startDir, flags.config) }),
    ...(flags.scripted === undefined ? {} : { scripted: flags.scripted }),
    log: flags.mayLog === true && (process.env['POLYLOGUE_LOG'] ?? '') !== '' ? 'warn' : 'silent',
  }
}

/** Where the files of sessions are, if not in the data directory. */
export function workspacesOption(named = process.env['POLYLOGUE_WORKSPACES']): Pick<ServeOptions, 'workspaces'> {
  return named === undefined || named === '' ? {} : { workspaces: named }
}
