/** One session that is on screen: its turns, whether it runs, what it waits for. */
import type { AskUserAnswer, BladeClient, BladeOutput, SessionDetail } from '@polylogue/client/blade'
import type { ConsoleClient, QueuedInput, SessionRecord, UsageReport, WaitingCall } from '@polylogue/client/console'
import { readSession } from './blade-rest.ts'
import { CallOutput } from './call-output.ts'
import { CallStarts } from './call-starts.ts'
import type { Notifier } from './notifier.ts'
import { RowPages, readPage } from './row-pages.ts'
import { outlineOf, type SessionOutline } from './session-outline.ts'
import type { TurnFold } from './turn-fold.ts'
import type { TurnSource } from './turn-source.ts'

export type SessionPhase = 'loading' | 'ready' | 'gone' | 'failed'

export interface SessionHeadline {
  readonly phase: SessionPhase
  readonly detail?: SessionDetail
  /** What only our own protocol tells, and only the owner: the mode, the folder, the relatives. */
  readonly record?: SessionRecord['session']
  readonly isRunning: boolean
  /** Turns that ended while the session was open here. */
  readonly answers: number
  readonly problem?: string
  /** Rows of the session's own agent, in order: turns, or gaps where they are not loaded. */
  readonly rows: readonly string[]
  readonly waiting: readonly WaitingCall[]
  /** Messages that run after this turn. */
  readonly queue: readonly QueuedInput[]
  /** What its model calls cost, by sub-agent. */
  readonly spent?: UsageReport
}

export interface ApprovalAnswer {
  readonly granted: boolean
  readonly offer?: string
  readonly reason?: string
}

export interface OpenSessionDeps {
  readonly notifier: Notifier
  readonly client: BladeClient
  readonly api: () => Promise<ConsoleClient>
  /** Rows were added, or all were loaded. */
  arrived(session: OpenSession): void
}

export const rowKey = (sessionId: string, turnId: string): string => `row:${sessionId}:${turnId}`
/** Of the plan and the sub-agents. */
export const outlineKey = (sessionId: string): string => `outline:${sessionId}`
export const headKey = (sessionId: string): string => `session:${sessionId}`

export class OpenSession implements TurnSource {
  readonly id: string
  readonly pages: RowPages
  readonly #deps: OpenSessionDeps
  #head: SessionHeadline = { phase: 'loading', isRunning: false, answers: 0, rows: [], waiting: [], queue: [] }
  readonly #answered = new Set<string>()
  /** What running calls print. */
  readonly output: CallOutput
  readonly starts: CallStarts
  #loading: Promise<void> | undefined
  #isStale = false
  #runsHeard = 0
  #outline: SessionOutline | undefined

  constructor(id: string, deps: OpenSessionDeps) {
    this.id = id
    this.#deps = deps
    this.output = new CallOutput(id, deps.notifier)
    this.starts = new CallStarts(id, { api: deps.api, mayRead: () => this.mayChange })
    this.pages = new RowPages(id, { changed: () => this.#change({ rows: this.pages.rows }) })
  }

  get fold(): TurnFold {
    return this.pages.fold
  }

  get head(): SessionHeadline {
    return this.#head
  }

  get mayChange(): boolean {
    return this.#head.detail?.viewer_role === 'owner'
  }

  /** The same object until it changes. */
  get outline(): SessionOutline {
    this.#outline ??= outlineOf(this.fold.turns)
    return this.#outline
  }

  /** The turns of a call's sub-agent, in order. The same array until one is added. */
  childrenOf(toolCallId: string): readonly string[] {
    return this.pages.childrenOf(toolCallId)
  }

  /** Loads everything, and again if something was missed meanwhile. */
  load(): Promise<void> {
    this.#isStale = true
    this.#loading ??= this.#loadUntilWhole().finally(() => (this.#loading = undefined))
    return this.#loading
  }

  async #loadUntilWhole(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false
      try {
        await this.#loadOnce()
      } catch (error) {
        const isGone = error instanceof Error && 'status' in error && (error.status === 404 || error.status === 400)
        // A server that is away is the link's business; what is on screen stays.
        if (isGone || this.#head.phase === 'loading') {
          this.#change({ phase: isGone ? 'gone' : 'failed', problem: error instanceof Error ? error.message : '' })
        }
        return
      }
    }
  }

  async #loadOnce(): Promise<void> {
    const { client } = this.#deps
    // Whoever is subscribed already, such as the sender of a message, is not told again of the turns that stream.
    await client.unsubscribe(this.id)
    // Nothing is told in between: what was told before may be old, and what is told from here on is complete.
    this.fold.beginLoad()
    const heard = this.#runsHeard
    const ack = await client.subscribe(this.id)
    if (ack.status === 'error' && ack.code === 'disconnected') return
    const [detail, page] = await Promise.all([readSession(this.id), readPage(this.id)])
    this.pages.takeTail(page)
    this.#outlineChanged()
    const turns = page.rows.map(({ turn }) => turn)
    for (const { turn_id } of turns) this.#deps.notifier.changed(rowKey(this.id, turn_id))
    this.#change({
      phase: 'ready',
      detail,
      ...(heard === this.#runsHeard && { isRunning: detail.status === 'running' }),
      rows: this.pages.rows,
    })
    this.#deps.arrived(this)
    const isCalling = turns.some(({ tool_calls }) => tool_calls.some(({ status }) => status === 'pending'))
    if (isCalling && this.mayChange) this.output.open()
    await Promise.all([this.#readWaiting(), this.readQueue(), this.readRecord(), this.#readSpent()])
  }

  /** Resolves with the code or the sentence of a refusal. `offer`: an offer of the call, for the rest of the session. */
  async answerApproval(toolCallId: string, answer: ApprovalAnswer): Promise<string | undefined> {
    this.#answered.add(toolCallId)
    try {
      await (await this.#deps.api()).answerApproval({ id: this.id, call: toolCallId, body: answer })
      return undefined
    } catch (error) {
      void this.#readWaiting()
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'call-already-settled' || code === 'unknown-tool-call') return 'no_pending_question'
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Resolves with the code of a refusal, or with nothing. The card ends when the server says so, not before. */
  async answer(answer: AskUserAnswer): Promise<string | undefined> {
    this.#answered.add(answer.tool_call_id)
    const ack = await this.#deps.client.answer(this.id, answer)
    if (ack.status === 'ok') return undefined
    void this.#readWaiting()
    return ack.code
  }

  /** Whether this page gave the answer. */
  isOwnAnswer(toolCallId: string): boolean {
    return this.#answered.has(toolCallId)
  }

  apply(output: BladeOutput): void {
    const { event, payload } = output
    // What is told is newer than a detail that was asked for before.
    if (event === 'chat:start' || event === 'chat:end') this.#runsHeard++
    if (event === 'chat:start') this.#change({ isRunning: true })
    if (event === 'chat:end') {
      this.#change({ isRunning: false, answers: this.#head.answers + 1 })
      this.output.close()
      void this.#readWaiting()
      void this.#readSpent()
    }
    if (event === 'session:updated' && this.#head.detail !== undefined) {
      const { session_id: _, queue, ...changes } = payload
      if (queue !== undefined && queue !== this.#head.queue.length) void this.readQueue()
      this.#change({
        detail: { ...this.#head.detail, ...changes },
        ...(changes.status !== undefined && { isRunning: changes.status === 'running' }),
      })
      if (changes.status !== undefined) void this.#readWaiting()
    }
    if (event === 'session:deleted') this.#change({ phase: 'gone' })
    this.#fold(output)
  }

  #fold(output: BladeOutput): void {
    const result = this.fold.apply(output)
    if (result.type === 'missed') void this.load()
    if (result.type !== 'added' && result.type !== 'changed') return
    if (output.event === 'turn:patch') this.starts.saw(output.payload)
    this.#deps.notifier.changed(rowKey(this.id, result.turnId))
    const turn = this.fold.turn(result.turnId)
    const parent = turn?.parent_fork_tool_call_id
    if (typeof parent === 'string') this.#deps.notifier.changed(headKey(this.id))
    if (result.type === 'added') {
      if (turn !== undefined) this.pages.add(turn)
      this.#change({ rows: this.pages.rows })
      this.#deps.arrived(this)
    }
    if (output.event !== 'turn:patch' || /tool/.test(output.payload.patch_type)) this.#outlineChanged()
    if (output.event === 'turn:end' && typeof parent === 'string') void this.#readSpent()
    if (this.mayChange && turn?.tool_calls.some(({ status }) => status === 'pending')) this.output.open()
    const isAsking = output.event === 'turn:patch' && /tool/.test(output.payload.patch_type)
    if (isAsking && turn?.tool_calls.some(({ status }) => status === 'awaiting_answer')) void this.#readWaiting()
    else if (isAsking && this.#head.waiting.length > 0) void this.#readWaiting()
  }

  #outlineChanged(): void {
    this.#outline = undefined
    this.#deps.notifier.changed(outlineKey(this.id))
  }

  /** Guests may not read what a session waits for; they see the calls. */
  async #readWaiting(): Promise<void> {
    if (this.#head.detail?.viewer_role !== 'owner') return
    try {
      const { calls } = await (await this.#deps.api()).readWaiting({ id: this.id })
      this.#change({ waiting: calls })
    } catch {
      // The link tells of a server that is away, and the next rest asks again.
      return
    }
  }

  async #readSpent(): Promise<void> {
    if (!this.mayChange) return
    try {
      const api = await this.#deps.api()
      this.#change({ spent: await api.readUsage({ query: { by: 'sub-agent', session: this.id } }) })
    } catch {
      // As above.
      return
    }
  }

  async readRecord(): Promise<void> {
    if (!this.mayChange) return
    try {
      const { session } = await (await this.#deps.api()).readSession({ id: this.id, query: { messages: '0' } })
      this.#change({ record: session })
    } catch {
      // As above.
      return
    }
  }

  async readQueue(): Promise<void> {
    if (this.#head.detail?.viewer_role !== 'owner') return
    try {
      const { inputs } = await (await this.#deps.api()).readQueue({ id: this.id })
      this.#change({ queue: inputs })
    } catch {
      // As above.
      return
    }
  }

  #change(changes: Partial<SessionHeadline>): void {
    this.#head = { ...this.#head, ...changes }
    this.#deps.notifier.changed(headKey(this.id))
  }
}
