import type {
  Attachment,
  Clock,
  EventStore,
  Fence,
  ModelMessage,
  SessionId,
  Snapshot,
  ToolAccess,
} from '@polylogue/engine'
import {
  createFakeClock,
  createMemoryEventStore,
  createProcessStore,
  createReaderLog,
  createTestEngine,
  createTestIds,
  untilQuiet,
  useSession,
  type ProcessStore,
  type ReaderLog,
  type TestEngine,
  type TestSession,
} from '@polylogue/testkit'
import { findUnpaired } from '../check-pairing.ts'
import type { Acknowledgement, SessionHistory } from '../history.ts'
import { TOOL_EFFECTS, createControlledAgent, type Ask, type ControlledAgent, type Run } from './controlled-agent.ts'
import { readWholeLog } from '../../support/read-whole-log.ts'

export const MAX_STEPS = 3

interface Process extends ControlledAgent {
  readonly store: ProcessStore
  readonly test: TestEngine
}

export interface WorldReader {
  readonly after: number
  readonly log: ReaderLog
  attachment: Attachment | undefined
}

export interface WorldSession {
  readonly sessionId: SessionId
  /** How its model calls are known. */
  readonly who: string
  readonly acknowledged: Acknowledgement[]
  readonly readers: WorldReader[]
  readonly effects: string[]
}

/** A store, a clock, and one process after the other on top of them. */
export class World {
  readonly clock = createFakeClock()
  readonly #ids = createTestIds()
  readonly store: EventStore = createMemoryEventStore({ clock: this.clock satisfies Clock })
  readonly sessions: WorldSession[] = []
  /** Every snapshot that was ever stored. */
  readonly snapshots: (Snapshot & { readonly sessionId: SessionId })[] = []
  readonly #epochs = new Map<string, number[]>()
  readonly #slowed: (store: EventStore) => EventStore
  #process: Process

  /** `slowed` may put something between every process and the store. */
  constructor(slowed: (store: EventStore) => EventStore = (store) => store) {
    this.#slowed = slowed
    this.#process = this.#createProcess()
  }

  get engine(): TestEngine['engine'] {
    return this.#process.test.engine
  }

  get logged(): TestEngine['logged'] {
    return this.#process.test.logged
  }

  use(session: WorldSession): TestSession {
    return useSession(this.#process.test, session.sessionId)
  }

  async create(): Promise<WorldSession> {
    const who = `session ${this.sessions.length}`
    const { sessionId } = await this.engine.execute({
      type: 'create-session',
      userId: this.#process.test.user,
      agent: 'tester',
      access: accessWith(false),
      clientTools: [{ name: 'browse', description: 'at the client', parameters: {} }],
      options: { who },
    })
    const session: WorldSession = { sessionId, who, acknowledged: [], readers: [], effects: [] }
    this.sessions.push(session)
    return session
  }

  /** The model call that this session waits for now. */
  ask({ who }: WorldSession): Ask | undefined {
    const isOpen = ({ request, signal, isOver }: Ask): boolean =>
      request.options['who'] === who && !signal.aborted && !isOver
    return this.#process.asks.findLast(isOpen)
  }

  runs({ sessionId }: WorldSession): readonly Run[] {
    return this.#process.runs.filter((run) => run.sessionId === sessionId && !run.isOver && !run.signal.aborted)
  }

  /** The process ends at once, or lives on as a zombie beside the next one. */
  async crash(kind: 'dead' | 'zombie'): Promise<void> {
    const before = this.#process
    if (kind === 'dead') before.store.die()
    for (const { readers } of this.sessions) for (const reader of readers) this.#cut(reader, kind)
    this.#process = this.#createProcess()
    await this.engine.start()
    // Turns whose process died before are taken over one at a time, 30 s apart at most.
    for (const _session of this.sessions) {
      await untilQuiet()
      this.clock.advance(30_000)
    }
    await untilQuiet()
    if (kind === 'zombie') stir(before)
    await untilQuiet()
  }

  /** The process dies at its next write but `writes - 1`, which is the last one stored or the first one lost. */
  dieAtWrite(writes: number, isStored: boolean): void {
    if (isStored) this.#process.store.dieAfterWrites(writes)
    else this.#process.store.dieBeforeWrite(writes)
  }

  async attach(session: WorldSession, after: number): Promise<void> {
    const reader: WorldReader = { after, log: createReaderLog({ seq: after }), attachment: undefined }
    session.readers.push(reader)
    await this.resume(session, reader)
  }

  async resume({ sessionId }: WorldSession, reader: WorldReader): Promise<void> {
    if (reader.attachment !== undefined) return
    const { test, store } = this.#process
    const attachment = await test.engine.attach(test.user, sessionId, {
      after: reader.log.cursor(),
      reader: reader.log,
    })
    if (store === this.#process.store) reader.attachment = attachment
    else attachment.detach()
  }

  leave(reader: WorldReader): void {
    reader.attachment?.detach()
    reader.attachment = undefined
  }

  async history({ sessionId, acknowledged, readers, effects }: WorldSession): Promise<SessionHistory> {
    const snapshot = await this.store.readSnapshot(sessionId)
    return {
      stored: await readWholeLog(this.store, sessionId),
      ...(snapshot && { snapshot }),
      acknowledged,
      readers: readers.map(({ after, log }) => ({
        after,
        isGapless: true,
        seen: log.items.flatMap((item) => (item.type === 'recorded' ? [item.recorded] : [])),
        deltas: log.items.flatMap((item) => (item.type === 'delta' ? [item.delta] : [])),
      })),
      epochs: this.#epochs.get(sessionId) ?? [],
      effects,
      toolEffects: TOOL_EFFECTS,
      modelMessages: await this.engine.readHistory(this.#process.test.user, sessionId, 'compacted'),
    }
  }

  /** A reader of a dead process hears nothing more; that of a zombie still might. */
  #cut(reader: WorldReader, kind: 'dead' | 'zombie'): void {
    if (kind === 'zombie') reader.attachment?.detach()
    reader.attachment = undefined
  }

  #createProcess(): Process {
    const store = createProcessStore(this.#slowed(this.#watched()))
    const agent = createControlledAgent((sessionId, toolCallId) => {
      this.sessions.find((session) => session.sessionId === sessionId)?.effects.push(toolCallId)
    })
    const test = createTestEngine({
      store,
      clock: this.clock,
      ids: this.#ids,
      model: {
        ...agent.model,
        stream: (request, signal) => (refuseUnpaired(request.messages), agent.model.stream(request, signal)),
      },
      tools: agent.tools,
      options: [{ name: 'who', type: 'text', default: '' }],
      maxSteps: MAX_STEPS,
    })
    return { ...agent, store, test }
  }

  #watched(): EventStore {
    const { store } = this
    return {
      ...store,
      append: async (request) => {
        const { sessionId, snapshot: state } = request
        const result = await store.append(request)
        if (result.type === 'appended' && state !== undefined)
          this.snapshots.push({ sessionId, seq: result.lastSeq, state })
        if (result.type === 'appended' && result.fence !== undefined) this.#noteEpoch(sessionId, result.fence)
        return result
      },
      claim: async (sessionId, owner, leaseMs) => {
        const fence = await store.claim(sessionId, owner, leaseMs)
        if (fence !== undefined) this.#noteEpoch(sessionId, fence)
        return fence
      },
    }
  }

  #noteEpoch(sessionId: SessionId, { epoch }: Fence): void {
    this.#epochs.set(sessionId, [...(this.#epochs.get(sessionId) ?? []), epoch])
  }
}

export const accessWith = (isPayTrusted: boolean): ToolAccess => ({
  type: 'listed',
  tools: [
    { name: 'look', trust: true },
    { name: 'put', trust: true },
    { name: 'pay', trust: isPayTrusted },
  ],
})

/** What a zombie does when its model and tools answer after its successor took over. */
function stir({ asks, runs }: Process): void {
  for (const ask of asks)
    ask.answer(
      { type: 'text', text: 'zombie' },
      { type: 'finished', finish: 'stop', usage: { inputTokens: 0, outputTokens: 0 } },
    )
  for (const run of runs) if (!run.isOver) run.end({ content: 'zombie' })
}

function refuseUnpaired(messages: readonly ModelMessage[]): void {
  const problems = findUnpaired(
    messages.map((message) =>
      message.role === 'user'
        ? message
        : message.role === 'tool'
          ? message
          : { role: 'assistant', content: message.content },
    ),
    false,
  )
  if (problems.length > 0) throw new Error(`the model was asked with an invalid history: ${problems.join('; ')}`)
}
