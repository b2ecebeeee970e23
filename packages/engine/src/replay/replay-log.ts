import { EngineError } from '../errors.ts'
import type { Recorded, RecordedEvent } from '../events/recorded-event.ts'
import { evolve } from '../state/evolve.ts'
import { isWanted, type SessionState } from '../state/session-state.ts'
import { findCause } from './outside.ts'
import { ReplayScene, type ReplayParts } from './replay-scene.ts'
import { findDifference } from './same-event.ts'

/** So often the other side gets its turn before the engine counts as at rest. */
const QUIET_ROUNDS = 8

export interface ReplayOptions {
  /** The whole log of one session. */
  readonly events: readonly Recorded[]
  readBlob(hash: string): Promise<Uint8Array | undefined>
  readonly parts: ReplayParts
  /** Resolves after pending callbacks of the runtime. */
  giveWay(): Promise<void>
}

export interface ReplayDifference {
  /** Where in the log. */
  readonly seq: number
  /**
   * `event`: another event is recorded. `request`: the model is asked something else. `stops`: nothing more happens.
   * `goes-on`: more happens. `refused`: a command is refused.
   */
  readonly type: 'event' | 'request' | 'stops' | 'goes-on' | 'refused'
  /** What the log has there. */
  readonly logged?: RecordedEvent
  /** What today's code records there. */
  readonly today?: RecordedEvent
  /** The field that differs, or why a command is refused. */
  readonly detail?: string
}

export interface ReplayReport {
  readonly differences: readonly ReplayDifference[]
  /** Events that came out the same. */
  readonly compared: number
  /** Events between the end of a process and the next rest: their order was chance. */
  readonly skipped: number
  /** Model requests that were compared. */
  readonly requests: number
}

/** Plays a log through today's engine, with the answers of models, tools and people that it has, and compares what is recorded. */
export async function replayLog(options: ReplayOptions): Promise<ReplayReport> {
  const { events: log } = options
  const [first] = log
  if (first?.event.type !== 'session.created') throw new Error('a log begins with session.created')
  const { sessionId, userId, origin } = first.event
  const tally = { differences: [] as ReplayDifference[], compared: 0, skipped: 0, requests: 0 }
  const rests = findRests(log)
  let from = Math.max(origin?.throughSeq ?? 1, log[1]?.event.type === 'session.seeded' ? 2 : 1)
  while (from < log.length) {
    const onRequest = (seq: number, detail: string | undefined): void => {
      tally.requests += 1
      if (detail !== undefined) tally.differences.push({ seq, type: 'request', detail })
    }
    const scene = new ReplayScene({ ...options, log, from, sessionId, userId, onRequest })
    const reached = await playFrom(scene, from, { ...options, sessionId, userId })
    tally.compared += reached.seq - from
    if (reached.difference) tally.differences.push(reached.difference)
    const next = rests.find((seq) => seq > reached.seq) ?? log.length
    if (reached.seq < log.length) tally.skipped += next - reached.seq
    from = reached.seq >= log.length ? log.length : next
    await scene.engine.stop(0)
  }
  return tally
}

interface Reached {
  /** The last event that came out the same. */
  readonly seq: number
  readonly difference?: ReplayDifference
}

interface Playing extends ReplayOptions {
  readonly sessionId: Parameters<typeof findCause>[2]['sessionId']
  readonly userId: Parameters<typeof findCause>[2]['userId']
}

async function playFrom(scene: ReplayScene, from: number, playing: Playing): Promise<Reached> {
  const { events: log, giveWay } = playing
  let seq = from
  let refusal: string | undefined
  for (;;) {
    await untilQuiet(scene, giveWay)
    for (; seq < Math.min(scene.events.length, log.length); seq += 1) {
      const [today, logged] = [scene.events[seq]?.event, log[seq]?.event]
      const detail = findDifference(today, logged, scene.ids)
      if (detail !== undefined && today && logged)
        return { seq, difference: { seq: seq + 1, type: 'event', logged, today, detail } }
    }
    const more = scene.events[log.length]
    if (more !== undefined) return { seq, difference: { seq: more.seq, type: 'goes-on', today: more.event } }
    const logged = log[seq]?.event
    if (logged === undefined) return { seq }
    const place = { seq: seq + 1, logged }
    if (refusal !== undefined) return { seq, difference: { ...place, type: 'refused', detail: refusal } }
    const cause = findCause(log, seq + 1, { ...playing, ids: scene.ids })
    if (cause?.type === 'process') return { seq }
    if (cause === undefined) return { seq, difference: { ...place, type: 'stops' } }
    const before = scene.events.length
    if (cause.type === 'taken') scene.take(cause.recorded)
    if (cause.type === 'answer') scene.release(cause.seq)
    if (cause.type === 'command') refusal = await refusalOf(scene.engine.execute(cause.command))
    await untilQuiet(scene, giveWay)
    if (scene.events.length === before && refusal === undefined) return { seq, difference: { ...place, type: 'stops' } }
  }
}

async function refusalOf(executed: Promise<unknown>): Promise<string | undefined> {
  try {
    await executed
    return undefined
  } catch (error) {
    if (error instanceof EngineError) return error.message
    throw error
  }
}

/** The engine is at rest when no store has to answer it, and nothing was recorded for some rounds. */
async function untilQuiet({ events, calls }: ReplayScene, giveWay: () => Promise<void>): Promise<void> {
  for (let quiet = 0, seen = -1; quiet < QUIET_ROUNDS; quiet += 1) {
    if ((await calls.settle()) || events.length !== seen) quiet = 0
    seen = events.length
    await giveWay()
  }
}

/** The places at which no runner had anything to do. */
function findRests(log: readonly Recorded[]): readonly number[] {
  let state: SessionState | undefined
  return log.flatMap((recorded) => {
    state = evolve(state, recorded)
    return isWanted(state) ? [] : [recorded.seq]
  })
}
