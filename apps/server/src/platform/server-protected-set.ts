import { createProtectedSet, type ProtectedSet } from '@polylogue/tools'
import { basename, join } from 'node:path'
import { CONFIG_FILE_NAMES } from '../config/config-file-names.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { findLocalImports } from './local-imports.ts'

export interface ServerPlaces {
  readonly dataDir: string
  /** The directory with the files of sessions, if it is another one. */
  readonly workspaces?: string | undefined
  /** The database with the files beside it, wherever it lies. */
  readonly databaseFiles: readonly string[]
  /** Where it lies outside of the data directory. */
  readonly secretKeyFile?: string
  readonly config: Pick<LoadedConfig, 'directory' | 'file' | 'skillDirectories'>
}

/** What tools, commands and clients must not touch on this server. */
export function createServerProtectedSet({
  dataDir,
  workspaces = dataDir,
  databaseFiles,
  secretKeyFile,
  config,
}: ServerPlaces): ProtectedSet {
  // The keys are named too, so that a hard link to one is recognised wherever it lies.
  const keys = ['local.key', 'secret.key'].map((name) => join(dataDir, name))
  if (secretKeyFile !== undefined) keys.push(secretKeyFile)
  return createProtectedSet({
    secret: [dataDir, workspaces, ...keys, ...databaseFiles],
    guarded: configFilesOf(config),
  })
}

/** Also those that do not exist yet: nothing that tools write may become a configuration. */
function configFilesOf({ directory, file, skillDirectories }: ServerPlaces['config']): readonly string[] {
  const usual = [...CONFIG_FILE_NAMES, 'agents', 'skills'].map((name) => join(directory, name))
  if (file === undefined) return [...usual, ...skillDirectories]
  const own = join(directory, basename(file))
  return [...new Set([...usual, ...skillDirectories, own, ...findLocalImports(own)])]
}
