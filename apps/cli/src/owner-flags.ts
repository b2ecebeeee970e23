import { defaultDataDir, type ServeOptions } from '@polylogue/server'
import { resolve } from 'node:path'

/** Flags that say which data directory a verb works on, and how to open it when nobody has it open. */
export interface OwnerFlags {
  readonly data?: string
  readonly database?: string
  readonly config?: string
  readonly scripted?: boolean
}

export function toOwnerOptions(flags: OwnerFlags): ServeOptions {
  const startDir = process.cwd()
  return {
    dataDir: flags.data === undefined ? defaultDataDir(process.env, startDir) : resolve(startDir, flags.data),
    startDir,
    ...(flags.database === undefined ? {} : { database: flags.database }),
    ...(flags.config === undefined ? {} : { configFile: resolve(startDir, flags.config) }),
    ...(flags.scripted === undefined ? {} : { scripted: flags.scripted }),
    log: 'silent',
  }
}
