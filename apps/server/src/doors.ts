import { createAapRoutes, type AapDeps } from '@polylogue/aap'
import type { Authenticate } from './auth/authenticate.ts'
import { jsonLimitsOf } from './http/read-json-body.ts'
import type { LoadedConfig } from './config/load-config.ts'
import { refuse } from './http/require-caller.ts'
import type { Door } from './http/door.ts'
import { sha256 } from './platform/sha256.ts'
import { systemClock } from './platform/system-clock.ts'
import type { Parts } from './compose.ts'

/** Shorter than the 30 s after which the most impatient proxies close a silent connection. */
const HEARTBEAT_MS = 15_000
const PAGE_SIZE = 50

export const DOOR_NAMES: readonly string[] = ['aap/v3', 'aap/v1', 'acp', 'blade']

export interface DoorsDeps {
  readonly parts: Parts
  readonly config: LoadedConfig
  readonly authenticate: Authenticate
}

/** Every protocol, over the same engine and the same way to authenticate. */
export function createDoors({ parts, config, authenticate }: DoorsDeps): readonly Door[] {
  const { limits } = config
  const deps: AapDeps = {
    engine: parts.engine,
    agents: parts.agents,
    clock: systemClock,
    digest: sha256,
    heartbeatMs: HEARTBEAT_MS,
    limits: {
      bodyBytes: limits.imageRequestBytes,
      smallBodyBytes: limits.requestBytes,
      json: jsonLimitsOf(limits),
      outBufferBytes: limits.outBufferBytes,
      pageSize: PAGE_SIZE,
    },
    streams: {
      admit: (caller, outgoing) => parts.streams.admit(caller.keyId, outgoing),
      dropped: () => parts.metrics.droppedReaders.add(),
    },
    async authenticate(_request, incoming) {
      const outcome = await authenticate(incoming)
      if (outcome.type === 'caller') return outcome.caller
      // Without a good key this door answers in its own words.
      return outcome.status === 401 ? undefined : refuse(outcome)
    },
  }
  return [
    { path: '/aap/v3', app: createAapRoutes(deps, { version: 3 }) },
    { path: '/aap/v1', app: createAapRoutes(deps, { version: 1 }) },
  ]
}
