import { StorageFault, type Storage } from '@polylogue/engine'
import { ConfigError } from '../config/config-error.ts'
import { loadConfig, type LoadedConfig } from '../config/load-config.ts'
import { connectOwner, type RunningOwner } from '../owner/connect-owner.ts'
import { systemClock } from '../platform/system-clock.ts'
import { ServeError } from '../serve-error.ts'
import { findStorage, parseDatabase } from '../stores.ts'
import { checkConfig } from './check-config.ts'
import { checkDatabase } from './check-database.ts'
import { checkDataDir } from './check-data-dir.ts'
import { checkExposure } from './check-exposure.ts'
import { checkKeys } from './check-keys.ts'
import { checkNodes } from './check-nodes.ts'
import { checkOwner } from './check-owner.ts'
import { checkPorts } from './check-ports.ts'
import { checkProviders } from './check-providers.ts'
import { checkSpace } from './check-space.ts'
import { checkVersions } from './check-versions.ts'
import { fail, type Finding } from './finding.ts'
import { liveFacts, type LiveFacts } from './live-facts.ts'

export interface ExamineOptions {
  readonly dataDir: string
  readonly startDir: string
  readonly database?: string
  readonly configFile?: string
  readonly env: NodeJS.ProcessEnv
}

/** What the checks examine. */
export interface Patient extends ExamineOptions {
  readonly storage: Storage
  /** The configuration that a server started here would use, or why it would not start. */
  readonly config: LoadedConfig | ConfigError
  /** The process id of the server that runs on the data directory. */
  readonly pid?: number
  readonly live?: LiveFacts
}

/** Examines an installation, whether a server is running or not. It changes nothing and starts nothing. */
export async function examine(options: ExamineOptions): Promise<readonly Finding[]> {
  const { patient, findings } = await meet(options)
  const checks: readonly (readonly [string, (patient: Patient) => Promise<readonly Finding[]>])[] = [
    ['versions', checkVersions],
    ['server', checkOwner],
    ['data directory', checkDataDir],
    ['configuration', checkConfig],
    ['database', checkDatabase],
    ['nodes', checkNodes],
    ['keys', checkKeys],
    ['disk', checkSpace],
    ['port', checkPorts],
    ['providers', checkProviders],
    ['exposure', checkExposure],
  ]
  for (const [name, check] of checks) {
    try {
      findings.push(...(await check(patient)))
    } catch (error) {
      const finding = toFailure(name, error)
      // Every check of a database that is away fails in the same way.
      if (!findings.some(({ message }) => message === finding.message)) findings.push(finding)
    }
  }
  return findings
}

function toFailure(check: string, error: unknown): Finding {
  const remedy = 'Remove the cause, then run doctor again.'
  if (error instanceof StorageFault) return fail('database', error.message, remedy)
  return fail(check, `The check failed: ${error instanceof Error ? error.message : String(error)}`, remedy)
}

async function meet(options: ExamineOptions): Promise<{ patient: Patient; findings: Finding[] }> {
  const findings: Finding[] = []
  const storage = await toStorage(databaseOf(options, findings))
  const patient = { ...options, storage, config: await readConfig(options) }
  try {
    const owner = await connectOwner(options.dataDir)
    if (owner === undefined) return { patient, findings }
    const live = await askOwner(owner)
    await owner.close()
    return {
      findings,
      patient: {
        ...patient,
        pid: owner.pid,
        ...(live && {
          live,
          storage: await toStorage(options.database === undefined ? live.database : databaseOf(options, [])),
        }),
      },
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    findings.push(fail('server', reason, 'Stop the process that holds the data directory, then start again.'))
    return { patient, findings }
  }
}

async function readConfig({ startDir, configFile }: ExamineOptions): Promise<LoadedConfig | ConfigError> {
  try {
    return await loadConfig({ directory: startDir, ...(configFile !== undefined && { file: configFile }) })
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

/** `undefined` when the server is of a version that does not answer this. */
async function askOwner(owner: RunningOwner): Promise<LiveFacts | undefined> {
  const response = await owner.request('GET', '/api/polylogue/doctor', { signal: AbortSignal.timeout(5_000) })
  const body: unknown = await response.json()
  const parsed = liveFacts.safeParse(body)
  return response.status === 200 && parsed.success ? parsed.data : undefined
}

const toStorage = (url: string): Promise<Storage> => findStorage(url, { clock: systemClock })

function databaseOf(options: ExamineOptions, findings: Finding[]): string {
  try {
    return parseDatabase(options.database, options)
  } catch (error) {
    if (!(error instanceof ServeError)) throw error
    findings.push(fail('database', error.message, 'Correct --database.'))
    return parseDatabase(undefined, options)
  }
}
