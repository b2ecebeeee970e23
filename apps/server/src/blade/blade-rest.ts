import { createBladeRoutes, type BodyOutcome } from '@polylogue/blade'
import { BodyRefused, readJsonBody } from '@polylogue/kit'
import { FileProblem, createConfinedFiles, type OpenFile } from '@polylogue/tools'
import type { IncomingMessage } from 'node:http'
import type { Authenticate } from '../auth/authenticate.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { jsonLimitsOf } from '../http/read-json-body.ts'
import type { HttpApp } from '../http/request-listener.ts'
import { trailOf } from '../http/request-trail.ts'
import type { Log } from '../log/log.ts'
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
  const files = createConfinedFiles({ protectedPaths: parts.protectedPaths })
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
    describe: describeSessions(parts),
    version: readVersion(),
    bodyBytes: limits.requestBytes,
    get foreignPaths() {
      return foreignPaths()
    },
    authenticate,
    readBody: (incoming, bytes) => readBody(incoming, { ...jsonLimitsOf(limits), bytes }),
    async readSentFile(session, path, mostBytes) {
      try {
        return await files.open(parts.workspaces.locate(session), path, (file) => readWhole(file, mostBytes))
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

async function readBody(incoming: IncomingMessage, limits: Parameters<typeof readJsonBody>[1]): Promise<BodyOutcome> {
  try {
    return { type: 'body', value: await readJsonBody(incoming, limits) }
  } catch (error) {
    if (!(error instanceof BodyRefused)) throw error
    const status = error.status === 413 || error.status === 415 ? error.status : 422
    return { type: 'refused', status, problem: error.message }
  }
}

/** `undefined` when the file is larger, or grows while it is read. */
async function readWhole({ handle, stats }: OpenFile, mostBytes: number): Promise<Uint8Array | undefined> {
  if (stats.size > mostBytes) return undefined
  const bytes = Buffer.alloc(Number(stats.size))
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
  return bytesRead === bytes.length ? bytes : undefined
}
