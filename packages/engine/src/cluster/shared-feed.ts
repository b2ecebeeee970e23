import type { ClusterParts, EngineParts } from '../engine-parts.ts'
import type { BlockDelta, CallInput, LiveBatch, StepRetry, ToolProgress } from '../events/live-event.ts'
import type { Recorded } from '../events/recorded-event.ts'
import type { Attachment, SessionReader } from '../events/session-reader.ts'
import type { SessionId } from '../ids.ts'
import type { LiveBus, SharedLive } from '../ports/live-bus.ts'
import { attachReader } from '../session/attach-reader.ts'
import type { OpenSession } from '../session/open-session.ts'

type SharedFeedParts = Pick<EngineParts, 'store' | 'log'> & { readonly cluster: ClusterParts }

/** The feeds of sessions that run here, sent to the nodes that have readers of them. */
export class SharedFeed {
  readonly #parts: SharedFeedParts
  readonly #watchers = new Map<SessionId, Map<string, Attachment>>()

  constructor(parts: SharedFeedParts) {
    this.#parts = parts
  }

  /** Sends the node the text so far and everything that follows. A node that asks again has missed something. */
  async add(session: OpenSession, nodeId: string): Promise<void> {
    const { id, feed, state } = session
    this.#watchers.get(id)?.get(nodeId)?.detach()
    const { bus } = this.#parts.cluster
    const reader = new SharedReader(bus, id, nodeId)
    // The feed begins here. The turn may be about to end, and then nothing follows.
    bus.send(nodeId, { type: 'moved', sessionId: id, seq: state.seq })
    try {
      const attachment = await attachReader({ session, store: this.#parts.store, after: { seq: state.seq } }, reader)
      reader.goLive(feed.batches?.count ?? 0)
      const nodes = this.#watchers.get(id) ?? new Map<string, Attachment>()
      nodes.set(nodeId, attachment)
      this.#watchers.set(id, nodes)
    } catch (error) {
      this.#parts.log({ level: 'warn', message: 'another node cannot follow', sessionId: id, nodeId, error })
    }
  }

  remove(sessionId: SessionId, nodeId: string): void {
    const nodes = this.#watchers.get(sessionId)
    nodes?.get(nodeId)?.detach()
    nodes?.delete(nodeId)
    if (nodes?.size === 0) this.#watchers.delete(sessionId)
  }

  /** Forgets the nodes that watch sessions which do not run here any more. */
  keepOnly(isRunning: (sessionId: SessionId) => boolean): void {
    for (const sessionId of this.#watchers.keys()) if (!isRunning(sessionId)) this.removeAll(sessionId)
  }

  removeAll(sessionId: SessionId): void {
    for (const attachment of this.#watchers.get(sessionId)?.values() ?? []) attachment.detach()
    this.#watchers.delete(sessionId)
  }
}

/** A reader of a session for another node. */
class SharedReader implements SessionReader {
  readonly #bus: LiveBus
  readonly #sessionId: SessionId
  readonly #nodeId: string
  /** What the session has shown before. `undefined` once that is sent. */
  #past: (BlockDelta | Exclude<SharedLive, LiveBatch>)[] | undefined = []

  constructor(bus: LiveBus, sessionId: SessionId, nodeId: string) {
    this.#bus = bus
    this.#sessionId = sessionId
    this.#nodeId = nodeId
  }

  /**
   * The text so far has no numbers of its own. Each of its blocks had at least one batch of this step, so it takes the
   * newest numbers.
   */
  goLive(newestBatch: number): void {
    const past = this.#past ?? []
    this.#past = undefined
    let number = newestBatch - past.filter(isDelta).length
    for (const live of past) this.#send(isDelta(live) ? { ...live, number: ++number } : live, true)
  }

  recorded({ seq }: Recorded): void {
    this.#bus.send(this.#nodeId, { type: 'moved', sessionId: this.#sessionId, seq })
  }

  delta(delta: BlockDelta): void {
    this.#past?.push(delta)
  }

  batch(batch: LiveBatch): void {
    this.#send(batch)
  }

  input(input: CallInput): void {
    this.#sendOrKeep(input)
  }

  retrying(retry: StepRetry): void {
    this.#sendOrKeep(retry)
  }

  progress(progress: ToolProgress): void {
    this.#sendOrKeep(progress)
  }

  closed(reason: 'deleted' | 'stopping'): void {
    if (reason === 'deleted') this.#bus.send(this.#nodeId, { type: 'deleted', sessionId: this.#sessionId })
  }

  #sendOrKeep(live: Exclude<SharedLive, LiveBatch>): void {
    if (this.#past === undefined) this.#send(live)
    else this.#past.push(live)
  }

  #send(live: SharedLive, isPast = false): void {
    const message = { type: 'live', sessionId: this.#sessionId, live, ...(isPast && { isPast }) } as const
    this.#bus.send(this.#nodeId, message)
  }
}

const isDelta = (live: BlockDelta | SharedLive): live is BlockDelta =>
  live.type === 'text.delta' || live.type === 'thinking.delta'
