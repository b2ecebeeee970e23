import type { HttpBindings } from '@hono/node-server'
import { createAapRoutes, presentSession, type AapDeps, type AapVersion } from '@polylogue/aap'
import type { SessionId, UserId } from '@polylogue/engine'
import type { ServerResponse } from 'node:http'
import { isScriptedAgent } from '../agents/scripted-names.ts'
import type { AttachedClients } from '../doors/attached-clients.ts'
import type { DoorDeps } from '../doors/door-deps.ts'
import { jsonLimitsOf } from '../http/read-json-body.ts'
import { refuse } from '../http/refuse-caller.ts'
import type { HttpApp, QuickLane } from '../http/request-listener.ts'
import { sha256 } from '../platform/sha256.ts'
import { systemClock } from '../platform/system-clock.ts'

/** Shorter than the 30 s after which the most impatient proxies close a silent connection. */
const HEARTBEAT_MS = 15_000
const PAGE_SIZE = 50

export interface AapParts {
  routes(): Promise<HttpApp>
  readonly quick: QuickLane
  present(userId: UserId, sessionId: SessionId): ReturnType<typeof presentSession>
}

export interface AapPlace {
  readonly version: AapVersion
  /** For example `/aap/v3`. */
  readonly base: string
  readonly clients: AttachedClients
}

/** What answers the requests of one version. */
export function openAapParts(deps: DoorDeps, { version, base, clients }: AapPlace): AapParts {
  const { engine } = deps.parts
  const { app, quick } = createAapRoutes(toAapDeps(deps, clients), { version, base })
  return {
    routes: async () => mountAt(base, await app()),
    quick: {
      find(method, url) {
        const found = quick.find(method, url)
        if (found === undefined) return undefined
        const { route, id } = found
        return {
          pattern: route.pattern,
          answer: (incoming, outgoing) => route.answer({ incoming, outgoing, id }),
        }
      },
    },
    present: (userId, sessionId) => presentSession((hash) => engine.readBlob(userId, sessionId, { hash })),
  }
}

async function mountAt(path: string, app: HttpApp): Promise<HttpApp> {
  const { Hono } = await import('hono')
  return new Hono<{ Bindings: HttpBindings }>().route(path, app)
}

function toAapDeps({ parts, config: { limits }, authenticate }: DoorDeps, clients: AttachedClients): AapDeps {
  const positions = new WeakMap<ServerResponse, () => number>()
  return {
    engine: parts.engine,
    agents: parts.agents,
    // Models of no provider, such as the demo, are not a choice.
    modelsFor: (agent) =>
      isScriptedAgent(agent) ? [] : parts.models.list().filter(({ group }) => group !== undefined),
    clock: systemClock,
    digest: sha256,
    heartbeatMs: HEARTBEAT_MS,
    reads: parts.reads,
    limits: {
      bodyBytes: limits.imageRequestBytes,
      smallBodyBytes: limits.requestBytes,
      json: { ...jsonLimitsOf(limits), large: parts.largeBodies },
      outBufferBytes: limits.outBufferBytes,
      pageSize: PAGE_SIZE,
    },
    streams: {
      admit: (caller, outgoing) => parts.streams.admit(caller, outgoing),
      attached({ userId, keyId }, sessionId, outgoing) {
        const cursor = (): number | undefined => positions.get(outgoing)?.()
        const leave = clients.enter({ userId, keyId, sessionId, since: systemClock.now() }, cursor)
        if (outgoing.closed || outgoing.destroyed) leave()
        else outgoing.on('close', leave)
      },
      reading: (outgoing, seq) => void positions.set(outgoing, seq),
      dropped: () => parts.metrics.droppedReaders.add(),
    },
    async authenticate(incoming) {
      const outcome = await authenticate(incoming)
      if (outcome.type === 'caller') return outcome.caller
      // AAP has its own answer for a missing or wrong key.
      return outcome.status === 401 ? undefined : refuse(outcome)
    },
  }
}
