import type { Recorded } from '../events/recorded-event.ts'
import { EngineError } from '../errors.ts'
import { failpoint } from '../failpoint.ts'
import type { LoopId, SessionId } from '../ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { EngineParts } from '../engine-parts.ts'
import type { AppendConflict, EventStore, Fence } from '../ports/event-store.ts'
import type { ModelContext } from '../views/model-context.ts'
import { ShownSession, changesSummary } from '../views/session-list.ts'
import type { SessionView } from '../views/session-view.ts'
import { evolve } from '../state/evolve.ts'
import { writeSnapshot } from '../state/snapshot.ts'
import { isWanted, type SessionState } from '../state/session-state.ts'
import { errorOfConflict } from './append-conflicts.ts'
import { foldBatch, type Batch, type Committed } from './batch.ts'
import { LoopContexts, ROOT, type LoopStart } from './loop-contexts.ts'
import { SessionFeed } from './session-feed.ts'

/** A session is read from its newest snapshot and at most about this many events. */
const SNAPSHOT_EVERY = 200
/** Fewer events are read again faster than a snapshot is written. */
const FEWEST_PUT_AWAY = 20
const PAGE = 500
/** A batch that conflicts so often while the log does not change would do so for ever. */
const MOST_IN_VAIN = 10

export type SessionParts = Pick<EngineParts, 'store' | 'clock'>

/**
 * A session in memory: its state, its feed, and the single queue for all appends. An unused session is evicted after a
 * while; the log is the source of truth.
 */
export class OpenSession {
  readonly id: SessionId
  readonly feed: SessionFeed
  readonly #store: EventStore
  readonly #clock: Clock
  #state: SessionState
  #view: { readonly state: SessionState; readonly view: SessionView } | undefined
  #snapshotSeq: number
  readonly #contexts: LoopContexts
  readonly #shown = new ShownSession()
  #queue: Promise<unknown> = Promise.resolve()
  /** The newest lease that a commit of this process released. */
  #releasedEpoch = 0
  #isGone = false
  #isStale = false
  lastUsedAt: number
  /** Called with what other processes have appended. */
  onMoved: ((recorded: readonly Recorded[]) => void) | undefined

  constructor({ store, clock }: SessionParts, state: SessionState, snapshotSeq: number) {
    this.#store = store
    this.#clock = clock
    this.#contexts = new LoopContexts(store, state.sessionId)
    this.#state = state
    this.#snapshotSeq = snapshotSeq
    this.id = state.sessionId
    // Numbers that a crashed step may have used are skipped: the takeover records the next free number.
    this.feed = new SessionFeed({ clock, start: () => ({ recorded: this.#state.batches.recorded }) })
    this.lastUsedAt = clock.now()
  }

  get state(): SessionState {
    return this.#state
  }

  /** The session as doors show it. */
  get view(): SessionView {
    if (this.#view?.state !== this.#state) this.#view = { state: this.#state, view: this.#shown.view(this.#state) }
    return this.#view.view
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** The log is shorter than the folded state, because the database was restored from a backup. */
  get isStale(): boolean {
    return this.#isStale
  }

  /** Closes all readers, so that they reconnect and read the log again. The next use of the session reloads it. */
  markStale(): void {
    this.#isStale = true
    this.feed.close('stopping')
  }

  refuseStale(): never {
    this.markStale()
    throw new EngineError('storage-unavailable', 'the database has lost the end of this session; try again')
  }

  markGone(): void {
    this.#isGone = true
  }

  /**
   * Records the events that `build` returns for the current state. If `build` throws an `EngineError`, nothing changes.
   * Commits of one session run one at a time. If another process has appended in the meantime, the state is updated and
   * `build` is called again.
   */
  async commit(build: (state: SessionState) => Batch | Promise<Batch>, fence?: Fence): Promise<readonly Recorded[]> {
    return (await this.commitBatch(build, fence)).recorded
  }

  /** Like `commit`, for a batch that may claim the session. */
  commitBatch(build: (state: SessionState) => Batch | Promise<Batch>, fence?: Fence): Promise<Committed> {
    const run = this.#queue.then(() => this.#commitNow(build, fence))
    this.#queue = run.catch(() => undefined)
    return run
  }

  /** Whether a commit with this fence left nothing for its runner to do. Such a commit ends the lease. */
  hasReleased({ epoch }: Fence): boolean {
    return epoch <= this.#releasedEpoch
  }

  /** The context of a loop if memory holds it, up to date with the state. */
  loadedContext(loopId: LoopId): ModelContext | undefined {
    return this.#contexts.find(loopId, this.#state)
  }

  /** Stores a snapshot before the session leaves memory, unless it is in use again or the newest one is close. */
  async putAway(): Promise<void> {
    const state = this.#state
    const { seq } = state
    if (this.#isGone || this.#isStale || seq - this.#snapshotSeq < FEWEST_PUT_AWAY) return
    const at = this.#clock.now()
    const snapshot = writeSnapshot(state)
    // A conflict means that somebody has appended. The next snapshot covers that.
    await this.#store.append({
      sessionId: this.id,
      expectedSeq: seq,
      at,
      events: [],
      wanted: isWanted(state),
      snapshot,
    })
  }

  /** Reads what other processes have appended. Notices a deletion, and a log that was cut. */
  refresh(): Promise<void> {
    const run = this.#queue.then(async () => {
      const head = this.#isGone ? undefined : await this.#store.readHead(this.id)
      if (head === undefined) {
        this.#isGone = true
        this.feed.close('deleted')
      } else if (head.lastSeq < this.#state.seq) {
        this.markStale()
      } else if (head.lastSeq > this.#state.seq) {
        await this.#catchUp()
      }
    })
    this.#queue = run.catch(() => undefined)
    return run
  }

  /** The conversation as the model of a loop sees it, up to date with the state. */
  context(loop: LoopStart = ROOT): Promise<ModelContext> {
    return this.#contexts.load(loop, () => this.#state)
  }

  async #commitNow(build: (state: SessionState) => Batch | Promise<Batch>, fence?: Fence): Promise<Committed> {
    this.lastUsedAt = this.#clock.now()
    for (let vain = 0; vain < MOST_IN_VAIN;) {
      if (this.#isGone) throw new EngineError('session-not-found', 'there is no such session')
      if (this.#isStale) this.refuseStale()
      const batch = await build(this.#state)
      if (batch.events.length === 0) return { recorded: [] }
      const committed = await this.#append(batch, fence)
      if (committed === undefined) {
        const { seq } = this.#state
        await this.#catchUp()
        vain = this.#state.seq === seq ? vain + 1 : 0
        continue
      }
      const shown = failpoint('publish.after')
      if (shown !== undefined) await shown
      return committed
    }
    throw new Error(`session ${this.id}: a batch conflicts with a log that does not change`)
  }

  /** `undefined`: another process has appended to the log. */
  async #append(batch: Batch, fence: Fence | undefined): Promise<Committed | undefined> {
    const at = this.#clock.now()
    const expectedSeq = this.#state.seq
    const { claim, names, blobs, secrets, receipt, clearDrafts } = batch
    const { state, recorded, usage } = foldBatch(this.#state, batch, at)
    const isSnapshotDue = state.seq - this.#snapshotSeq >= SNAPSHOT_EVERY
    const wanted = isWanted(state)

    this.feed.hold()
    let published: readonly Recorded[] = []
    try {
      const before = failpoint('append.before')
      if (before !== undefined) await before
      const listed = batch.events.some(changesSummary) ? this.#shown.listing(state) : undefined
      // All requests have the same fields in the same order, so that V8 compiles the stores for one shape.
      const result = await this.#store.append({
        sessionId: this.id,
        expectedSeq,
        at,
        events: recorded.map(({ event }) => event),
        wanted,
        fence,
        claim: wanted ? claim : undefined,
        release: fence !== undefined && !wanted ? true : undefined,
        summary: listed?.summary,
        listing: listed?.listing,
        snapshot: isSnapshotDue ? writeSnapshot(state) : undefined,
        receipt,
        names,
        blobs,
        secrets,
        usage: usage.length > 0 ? usage : undefined,
        clearDrafts,
        room: undefined,
      })
      if (result.type === 'conflict') return this.#onConflict(result.reason)
      const after = failpoint('append.after')
      if (after !== undefined) await after
      if (fence && !wanted) this.#releasedEpoch = fence.epoch
      this.#state = state
      if (isSnapshotDue) this.#snapshotSeq = state.seq
      this.#contexts.apply(recorded)
      published = recorded
      return { recorded, ...(result.fence && { fence: result.fence }) }
    } finally {
      this.feed.release(published)
    }
  }

  #onConflict(reason: AppendConflict): undefined {
    if (reason === 'session-gone') this.#isGone = true
    const error = errorOfConflict(reason, this.id)
    if (error !== undefined) throw error
    return undefined
  }

  async #catchUp(): Promise<void> {
    const { seq } = this.#state
    for (let isMore = true; isMore;) {
      const page = await this.#store.readEvents(this.id, this.#state.seq, PAGE)
      for (const recorded of page) this.#state = evolve(this.#state, recorded)
      this.feed.publish(page)
      if (page.length > 0) this.onMoved?.(page)
      isMore = page.length > 0
    }
    const isBehind = this.#state.seq === seq && ((await this.#store.readHead(this.id))?.lastSeq ?? 0) < seq
    if (isBehind) this.refuseStale()
  }
}
