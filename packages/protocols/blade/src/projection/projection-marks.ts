import type { EventOf, MarkStore, Recorded, RecordedEvent, SessionId, StoredMark } from '@polylogue/engine'
import type { TurnProjection } from '../wire.ts'
import { MARK_KIND, fromStoredMarks, isAtRest, toStoredMark } from './mark-content.ts'
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
/** So do the stored marks of a log: at least this part of it lies between two of them. */
const STORED_PART = 1 / 256
const MOST_SESSIONS = 64

interface MarkedSession {
  /** In order of seq. */
  marks: readonly RowMark[]
  /** The base of the next stored mark. */
  lastStored: RowMark | undefined
  unsaved: StoredMark[]
  /** Present when the stored marks are being read, or were. */
  loaded: Promise<void> | undefined
}

export interface ProjectionMarksOptions {
  readonly spacing?: number
  /** Absent: a restart forgets the marks. */
  readonly store?: MarkStore | undefined
  /** A fault of the store. Readers begin at an earlier event then. */
  failed?(error: unknown): void
}

/**
 * Marks of sessions, so that a long log is read from its start once. They are only a shortcut: a log never changes before
 * its end. Those of the sessions that were read last are in memory, one every 256 events. Those where a session rests are
 * stored too, for other processes and for this one after a restart.
 */
export class ProjectionMarks {
  readonly #spacing: number
  readonly #store: MarkStore | undefined
  readonly #failed: (error: unknown) => void
  readonly #sessions = new Map<SessionId, MarkedSession>()

  constructor({ spacing = SPACING, store, failed = () => undefined }: ProjectionMarksOptions = {}) {
    this.#spacing = spacing
    this.#store = store
    this.#failed = failed
  }

  /** Reads the stored marks, once. Call it before `find`. Never rejects. */
  async load(sessionId: SessionId): Promise<void> {
    const session = this.#take(sessionId)
    session.loaded ??= this.#read(sessionId, session)
    await session.loaded
  }

  /** The last mark that `isWanted` accepts. */
  find(sessionId: SessionId, isWanted: (mark: RowMark) => boolean = () => true): RowMark | undefined {
    return this.#sessions.get(sessionId)?.marks.findLast(isWanted)
  }

  /** Whether a mark after this event is worth its memory, or where the session rests its place in the store. */
  isDue(sessionId: SessionId, seq: number, rest: 'resting' | 'busy'): boolean {
    const { marks, lastStored } = this.#sessions.get(sessionId) ?? {}
    if (seq >= seqOf(marks?.at(-1)) + this.#spacing) return true
    return rest === 'resting' && this.#store !== undefined && this.#isWorthStoring(seq, lastStored)
  }

  add(sessionId: SessionId, mark: RowMark): void {
    const session = this.#take(sessionId)
    const { marks, lastStored } = session
    const { seq } = mark.projection
    // Several readers may read the same events at once.
    if (seq <= seqOf(marks.at(-1))) return
    const kept = marks.length < MOST_MARKS ? marks : marks.filter((_, index) => index % 2 === 1)
    session.marks = [...kept, mark]
    if (this.#store === undefined || !isAtRest(mark) || !this.#isWorthStoring(seq, lastStored)) return
    session.unsaved.push(toStoredMark(mark, lastStored))
    session.lastStored = mark
  }

  /** Stores new marks. Readers do not wait for it. */
  save(sessionId: SessionId): void {
    const session = this.#sessions.get(sessionId)
    if (session === undefined || session.unsaved.length === 0) return
    const { unsaved } = session
    session.unsaved = []
    this.#store?.keep(sessionId, MARK_KIND, unsaved).catch((error: unknown) => {
      // The next mark then says all it knows.
      session.lastStored = undefined
      this.#failed(error)
    })
  }

  /** Forgets what is in memory. A storage that was replaced may lack the newest events. */
  clear(): void {
    this.#sessions.clear()
  }

  async #read(sessionId: SessionId, session: MarkedSession): Promise<void> {
    if (this.#store === undefined) return
    try {
      const stored = fromStoredMarks(await this.#store.read(sessionId, MARK_KIND))
      const first = session.marks[0]?.projection.seq ?? Infinity
      session.marks = [...stored.filter(({ projection }) => projection.seq < first), ...session.marks]
      session.lastStored ??= stored.at(-1)
    } catch (error) {
      this.#failed(error)
    }
  }

  #isWorthStoring(seq: number, last: RowMark | undefined): boolean {
    return seq >= seqOf(last) + Math.max(this.#spacing, seq * STORED_PART)
  }

  /** Of the session that is used now. The one that was not used for longest is forgotten. */
  #take(sessionId: SessionId): MarkedSession {
    const known = this.#sessions.get(sessionId)
    const session = known ?? { marks: [], lastStored: undefined, unsaved: [], loaded: undefined }
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, session)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest)
    return session
  }
}

const seqOf = (mark: RowMark | undefined): number => mark?.projection.seq ?? 0

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
    const rest = this.projection.isResting && this.#waiting.size === 0 ? 'resting' : 'busy'
    if (this.#marks.isDue(this.#sessionId, recorded.seq, rest)) this.#leaveMark()
    return outputs
  }

  /** Stores the marks that it left. */
  save(): void {
    this.#marks.save(this.#sessionId)
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
