import { describeOperations as describeAap } from '@polylogue/aap'
import { describeOperations as describeConsole } from '@polylogue/console'
import { createBladeRoutes } from '@polylogue/blade'
import { FileProblem, createConfinedFiles, type OpenFile } from '@polylogue/tools'
import type { Authenticate } from '../auth/authenticate.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { jsonLimitsOf } from '../http/read-json-body.ts'
import type { HttpApp } from '../http/request-listener.ts'
import { trailOf } from '../http/request-trail.ts'
import type { Log } from '../log/log.ts'
import { serverOperations } from '../openapi/describe-server.ts'
import { systemClock } from '../platform/system-clock.ts'
import { serverTimezone } from '../schedules/schedule-tool-parts.ts'
import { readVersion } from '../version.ts'
import type { Parts } from '../compose.ts'
import { describeSessions } from './describe-sessions.ts'

export interface BladeRestParts {
  readonly parts: Parts
  readonly config: LoadedConfig
  readonly log: Log
  readonly authenticate: Authenticate
  /** The paths below `/api` that belong to other doors. */
  readonly foreignPaths: () => readonly string[]
}

export function createBladeRest(rest: BladeRestParts): HttpApp {
  const {
    parts,
    config: { limits },
    log,
    authenticate,
    foreignPaths,
  } = rest
  const files = createConfinedFiles({ protectedSet: parts.protectedSet })
  return createBladeRoutes({
    engine: parts.engine,
    agents: parts.agents,
    models: parts.models,
    memories: parts.memories,
    schedules: parts.schedules.book,
    get timezone() {
      return serverTimezone()
    },
    keys: { ...parts.keys, createApiKey: parts.keys.requestApiKey },
    clock: systemClock,
    reads: parts.reads,
    describe: describeSessions(parts),
    version: readVersion(),
    bodies: { ...jsonLimitsOf(limits), bytes: limits.requestBytes, large: parts.largeBodies },
    otherOperations: () => [
      ...describeAap(3, '/aap/v3'),
      ...describeAap(1, '/aap/v1'),
      ...describeConsole(),
      ...serverOperations,
    ],
    get foreignPaths() {
      return foreignPaths()
    },
    authenticate,
    async readSentFile(session, path, mostBytes) {
      try {
        const workspace = await parts.workspaces.prepare(session)
        return await files.open(workspace, path, (file) => readWhole(file, mostBytes))
      } catch (error) {
        if (error instanceof FileProblem) return undefined
        throw error
      }
    },
    report(error, incoming) {
      const { id: errorId, route } = trailOf(incoming)
      log.error({ errorId, method: incoming.method, route, err: error }, 'a request failed')
      return errorId
    },
  })
}

/** `undefined` when the file is larger, or grows while it is read. */
async function readWhole({ handle, stats }: OpenFile, mostBytes: number): Promise<Uint8Array | undefined> {
  if (stats.size > mostBytes) return undefined
  const bytes = Buffer.alloc(Number(stats.size))
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
  return bytesRead === bytes.length ? bytes : undefined
}
