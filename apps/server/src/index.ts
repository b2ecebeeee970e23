// All of it is loaded when it is called for. An editor that says hello waits for nothing else, and `node:http` alone takes
// longer to load than Node takes to start.
import type { ReplayReport, SlotCalendar } from '@polylogue/engine'
import type { FolderConfig } from './trust/trusted-folders.ts'
import type { BackedUp, BackUpOptions } from './backup/back-up.ts'
import type { CopyCensus } from './backup/check-copy.ts'
import type { RestoreOptions } from './backup/restore.ts'
import type { Moved, MoveOptions } from './move/move-storage.ts'
import type { LoadedConfig } from './config/load-config.ts'
import type { RefreshedModels } from './models/refresh-models.ts'
import type { EditorProcessOptions } from './acp/editor-process.ts'
import type { ExamineOptions } from './doctor/examine.ts'
import type { Finding } from './doctor/finding.ts'
import type { RunningOwner } from './owner/connect-owner.ts'
import type { OwnerConnection } from './owner/owner-connection.ts'
import type { RunningServer, ServeOptions } from './serve-options.ts'

export { ForeignDataDir, dataDirHere, defaultDataDir, notePlace } from './data-dir.ts'
export { stopSignals } from './platform/host.ts'
export { ServeError } from './serve-error.ts'
export type { AcpHandshake } from '@polylogue/acp/light'
export type { OwnerRequestOptions, OwnerResponse } from './owner/owner-connection.ts'
export type { EditorProcessOptions, ExamineOptions, Finding, OwnerConnection, RunningServer, ServeOptions }

export const serve = async (options: ServeOptions): Promise<RunningServer> =>
  (await import('./serve.ts')).serve(options)

export const connectOwner = async (dataDir: string): Promise<RunningOwner | undefined> =>
  (await import('./owner/connect-owner.ts')).connectOwner(dataDir)

export const openOwner = async (options: ServeOptions): Promise<OwnerConnection> =>
  (await import('./owner/open-owner.ts')).openOwner(options)

export const serveEditor = async (options: EditorProcessOptions): Promise<void> =>
  (await import('./acp/editor-process.ts')).serveEditor(options)

export const examine = async (options: ExamineOptions): Promise<readonly Finding[]> =>
  (await import('./doctor/examine.ts')).examine(options)

export const backUp = async (options: BackUpOptions): Promise<BackedUp> =>
  (await import('./backup/back-up.ts')).backUp(options)

export const restore = async (options: RestoreOptions): Promise<CopyCensus> =>
  (await import('./backup/restore.ts')).restore(options)

export const moveStorage = async (options: MoveOptions): Promise<Moved> =>
  (await import('./move/move-storage.ts')).moveStorage(options)

export const loadSlotCalendar = async (): Promise<SlotCalendar> =>
  (await import('./schedules/slot-calendar.ts')).createSlotCalendar()

/** Fetches the newest list of models into the data directory. */
export const refreshModels = async (place: { readonly dataDir: string }): Promise<RefreshedModels> =>
  (await import('./models/refresh-models.ts')).refreshModels(place)

/** Reads and checks the configuration of a folder. Rejects with a `ConfigError`. */
export const loadConfig = async (place: {
  readonly file?: string
  readonly directory: string
}): Promise<LoadedConfig> => (await import('./config/load-config.ts')).loadConfig(place)

export type { FolderConfig, LoadedConfig }

/** The configuration of a folder and whether this user has trusted it. `undefined`: the folder has none. */
export const findFolderConfig = async (
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<(FolderConfig & { readonly isTrusted: boolean }) | undefined> => {
  const { isTrusted, readFolderConfig } = await import('./trust/trusted-folders.ts')
  const config = readFolderConfig(directory)
  return config && { ...config, isTrusted: isTrusted(config, env) }
}

export const trustFolder = async (config: FolderConfig, env: NodeJS.ProcessEnv): Promise<void> =>
  (await import('./trust/trusted-folders.ts')).trustFolder(config, env)

/** Trusts `AGENTS.md` and `CLAUDE.md` of a folder as they are now. Returns their paths. */
export const trustInstructions = async (folder: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> => {
  const { createProtectedSet } = await import('@polylogue/tools')
  const { trustInstructions: trust } = await import('./trust/instruction-files.ts')
  return trust(folder, { protectedSet: createProtectedSet({}), env })
}

export const replayRecording = async (recording: unknown): Promise<ReplayReport> =>
  (await import('./replay/replay-recording.ts')).replayRecording(recording)
