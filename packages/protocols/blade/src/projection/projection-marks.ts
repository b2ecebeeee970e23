import type { EventOf, Recorded, RecordedEvent, SessionId } from '@polylogue/engine'
import type { TurnProjection } from '../wire.ts'
import type { ProjectedOutput } from './projected-output.ts'
import { runIdOf } from './turn-ids.ts'
import type { Describe } from './scene.ts'
import { SessionProjection, type ProjectionMark } from './session-projection.ts'

/** The message that started a run. */
export interface RunOrigin {
  readonly run: string
  /** The name of the door that it came through. */
  readonly via?: string
}

/** A place in a log from which a reader can go on. */
export interface RowMark {
  readonly projection: ProjectionMark
  /** Rows of the session's own agent that have begun. */
  readonly rows: number
  readonly origin: RunOrigin | undefined
  /** The doors of inputs that have not started. */
  readonly waiting: ReadonlyMap<string, string>
}

/** Events between two marks of a session. */
const SPACING = 256
/** A longer log has its marks further apart. */
const MOST_MARKS = 512
const MOST_SESSIONS = 64

/**
 * Marks of the sessions that were read last, so that a long log is read from its start once. They are only a shortcut: a
 * log never changes before its end.
 */
export class ProjectionMarks {
  readonly #spacing: number
  readonly #sessions = new Map<SessionId, readonly RowMark[]>()

  constructor(spacing = SPACING) {
    this.#spacing = spacing
  }

  /** The last mark that `isWanted` accepts. */
  find(sessionId: SessionId, isWanted: (mark: RowMark) => boolean = () => true): RowMark | undefined {
    const marks = this.#sessions.get(sessionId)
    if (marks === undefined) return undefined
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, marks)
    return marks.findLast(isWanted)
  }

  isDue(sessionId: SessionId, seq: number): boolean {
    return seq >= (this.#sessions.get(sessionId)?.at(-1)?.projection.seq ?? 0) + this.#spacing
  }

  add(sessionId: SessionId, mark: RowMark): void {
    const marks = this.#sessions.get(sessionId) ?? []
    const kept = marks.length < MOST_MARKS ? marks : marks.filter((_, index) => index % 2 === 1)
    this.#sessions.set(sessionId, [...kept, mark])
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest)
  }
}

/** A projection that starts at a mark, leaves marks behind, and knows which run each of its turns belongs to. */
export class MarkedProjection {
  readonly projection: SessionProjection
  readonly #sessionId: SessionId
  readonly #marks: ProjectionMarks
  readonly #waiting: Map<string, string>
  #origin: RunOrigin | undefined
  #rows: number

  constructor(
    { sessionId, from }: { readonly sessionId: SessionId; readonly from: RowMark | undefined },
    describe: Describe,
    marks: ProjectionMarks,
  ) {
    const options = { keep: 'open' } as const
    this.projection =
      from === undefined
        ? new SessionProjection(describe, options)
        : SessionProjection.from(from.projection, describe, options)
    this.#sessionId = sessionId
    this.#marks = marks
    this.#waiting = new Map(from?.waiting)
    this.#origin = from?.origin
    this.#rows = from?.rows ?? 0
  }

  /** Of the run that the last event belongs to. */
  get origin(): RunOrigin | undefined {
    return this.#origin
  }

  apply(recorded: Recorded): readonly ProjectedOutput[] {
    this.#note(recorded.event)
    const outputs = this.projection.apply(recorded)
    for (const output of outputs) if (output.event === 'turn:start' && isRowOf(output.payload, ROOT)) this.#rows++
    if (this.#marks.isDue(this.#sessionId, recorded.seq)) this.#leaveMark()
    return outputs
  }

  #leaveMark(): void {
    const projection = this.projection.mark()
    if (projection === undefined) return
    const waiting = new Map(this.#waiting)
    this.#marks.add(this.#sessionId, { projection, rows: this.#rows, origin: this.#origin, waiting })
  }

  #note(event: RecordedEvent): void {
    if (event.type === 'input.admitted' && event.via !== undefined) this.#waiting.set(event.inputId, event.via)
    else if (event.type === 'input.dropped') this.#waiting.delete(event.inputId)
    else if (event.type === 'turn.started') this.#start(event)
  }

  #start({ turnId, inputId }: EventOf<'turn.started'>): void {
    const via = inputId && this.#waiting.get(inputId)
    if (inputId !== undefined) this.#waiting.delete(inputId)
    this.#origin = { run: runIdOf(turnId), ...(via !== undefined && { via }) }
  }
}

export const ROOT = 'root'

/** Answers are shown with their question. */
export const isRowOf = ({ loop_id, blocks }: TurnProjection, loop: string): boolean =>
  loop_id === loop && !blocks.some(({ type }) => type === 'ask_user_answer')
