import { asSessionId } from '@polylogue/engine'
import { HEARTBEAT, toJsonLine, toSseFrame } from '@polylogue/kit'
import { Hono, type Context } from 'hono'
import type { DoorsRow } from '../contract/doors.ts'
import { answerRefusal, requireCaller, type NodeEnv } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { presentRow, settleRow } from './door-answers.ts'
import { followLog, type FollowedLog, type LogStep } from './follow-log.ts'
import { Refusal } from './refusal.ts'

type FollowDeps = Pick<ConsoleDeps, 'engine' | 'events' | 'doors' | 'authenticate' | 'clock' | 'streams' | 'reads'>

/**
 * With `follow=1`, the log and its rows at the doors are server-sent events that go on as long as the client reads. The id
 * of an event is its seq, so a client that reconnects goes on after the last one that it has.
 */
export function createFollowRoutes(deps: FollowDeps): Hono<NodeEnv> {
  const routes = new Hono<NodeEnv>()
  routes.get('/sessions/:id/events', (c, next) => (isFollowing(c) ? stream(c, deps, eventFrames) : next()))
  routes.get('/sessions/:id/doors', (c, next) => (isFollowing(c) ? stream(c, deps, doorFrames) : next()))
  return routes
}

const isFollowing = (c: Context<NodeEnv>): boolean => c.req.query('follow') === '1'

type Frames = (deps: FollowDeps, log: FollowedLog, types: string | undefined) => AsyncGenerator<string>

async function stream(c: Context<NodeEnv>, deps: FollowDeps, frames: Frames): Promise<Response> {
  try {
    const caller = await requireCaller(c, deps)
    const { userId, revoked } = caller
    const sessionId = asSessionId(c.req.param('id') ?? '')
    // Refused before anything is sent.
    await deps.engine.readSession(userId, sessionId)
    deps.streams.admit(caller, c.env.outgoing)
    const gone = new AbortController()
    c.env.outgoing.on('close', () => gone.abort())
    const signal = AbortSignal.any([gone.signal, revoked])
    const log = { userId, sessionId, after: placeOf(c), signal }
    const body = toStream(frames(deps, log, c.req.query('type')), gone)
    return c.body(body, 200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  } catch (error) {
    if (error instanceof Refusal) return answerRefusal(c, error)
    throw error
  }
}

/** A browser that reconnects says which event it has. */
function placeOf(c: Context<NodeEnv>): number {
  const place = Number(c.req.header('last-event-id') ?? c.req.query('after') ?? 0)
  if (!Number.isSafeInteger(place) || place < 0) throw new Refusal(400, 'after: must be a whole number')
  return place
}

function toStream(frames: AsyncGenerator<string>, gone: AbortController): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await frames.next()
      if (next.done === true) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
    async cancel() {
      gone.abort()
      await frames.return(undefined)
    },
  })
}

async function* eventFrames(deps: FollowDeps, log: FollowedLog, type: string | undefined): AsyncGenerator<string> {
  // Headers leave with the first bytes.
  yield HEARTBEAT
  for await (const step of followLog(deps, log)) {
    if (step.type === 'silence') yield HEARTBEAT
    if (step.type !== 'recorded') continue
    const { seq, at, event } = step.recorded
    if (type !== undefined && event.type !== type) continue
    yield toSseFrame({ id: String(seq), event: 'event', data: toJsonLine({ seq, at, event }) })
  }
}

/** A row is sent again when a message for it had waited for the next event. */
async function* doorFrames(deps: FollowDeps, log: FollowedLog): AsyncGenerator<string> {
  const doors = deps.doors.present(log)
  yield toSseFrame({ event: 'doors', data: toJsonLine({ doors: doors.map(({ name }) => name) }) })
  let last: DoorsRow | undefined
  // A message depends on the events before it, so presentations read the log from its start.
  const steps: AsyncGenerator<LogStep> = followLog(deps, { ...log, after: 0 })
  for await (const step of steps) {
    if (step.type === 'silence') yield HEARTBEAT
    if (step.type === 'recorded') {
      last = await presentRow(doors, step.recorded)
      if (last.seq > log.after) yield toRowFrame(last)
    }
    if (step.type === 'caught-up') {
      const settled = last && settleRow(last, doors)
      if (settled !== undefined && settled !== last && settled.seq >= log.after) yield toRowFrame(settled)
      last = settled
      yield toSseFrame({ event: 'caught-up', data: toJsonLine({ seq: last?.seq ?? 0 }) })
    }
  }
}

const toRowFrame = (row: DoorsRow): string => toSseFrame({ id: String(row.seq), event: 'row', data: toJsonLine(row) })
