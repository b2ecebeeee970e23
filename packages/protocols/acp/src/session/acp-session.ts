import type { SessionConfigOption, SessionModeState, SessionUpdate } from '@agentclientprotocol/sdk'
import {
  EngineError,
  SessionFollower,
  type Preset,
  type Recorded,
  type SessionId,
  type SessionReader,
  type SessionView,
  type StepRetry,
  type TurnId,
} from '@polylogue/engine'
import { commandsWith } from '../slash-command-list.ts'
import { sessionConfigOptions } from '../config-options.ts'
import { currentModel } from '../model-names.ts'
import { EditorPresence } from '../editor/editor-presence.ts'
import { toModes } from '../modes.ts'
import { HistoryProjection } from '../projection/history-projection.ts'
import { chunk } from '../projection/chunk.ts'
import { ChunkPacer } from './chunk-pacer.ts'
import { AwaitedWords } from './awaited-words.ts'
import { ClientAsks, type AskedCall } from './client-asks.ts'
import { EventGate, type GateItem } from './event-gate.ts'
import { InputPacer } from './input-pacer.ts'
import { LiveNotes } from './live-notes.ts'
import { OwnTurns } from './own-turns.ts'
import { ProgressPacer } from './progress-pacer.ts'
import { describeQuestion, type Question } from './questions.ts'
import { NO_SETTINGS, foldSettings, type SessionSettings } from './session-settings.ts'
import { ResultImages } from './result-images.ts'
import type { SessionParts } from './session-parts.ts'

/** One session that one connection has open. The client is sent everything that happens in it, whoever started it. */
export class AcpSession {
  readonly sessionId: SessionId
  readonly own = new OwnTurns()
  readonly #parts: SessionParts
  readonly #projection: HistoryProjection
  readonly #chunks: ChunkPacer
  readonly #progress: ProgressPacer
  readonly #inputs: InputPacer
  readonly #asks: ClientAsks
  readonly #words: AwaitedWords
  readonly #notes: LiveNotes
  readonly #editor: EditorPresence
  readonly #gate: EventGate
  readonly #follower: SessionFollower
  readonly #listeners = new Set<(recorded: Recorded) => void>()
  /** Starts live updates. The client must know the session id before it receives any. */
  readonly #begin: () => void
  readonly #untilLive: (() => void)[] = []
  #settings: SessionSettings = NO_SETTINGS
  #isTitled = false
  #isLive = false
  #changes = 0

  constructor(parts: SessionParts) {
    const { deps, options, sessionId, abilities, peer } = parts
    const { clock, engine, agents, models } = deps
    const { profile, userId } = options
    const log = deps.log.bind(deps)
    this.#parts = parts
    this.sessionId = sessionId
    const isOwnTurn = this.own.has.bind(this.own)
    const readBlob = (hash: string) => engine.readBlob(userId, sessionId, { hash })
    const images = new ResultImages({ readBlob, isOwnTurn, log })
    this.#projection = new HistoryProjection({
      profile,
      lookOf: (agent, tool) => agents.find(agent)?.tools.find(({ name }) => name === tool),
      isOwnTurn,
      imageBytes: (hash) => images.bytes(hash),
    })
    this.#chunks = new ChunkPacer(clock, (update) => this.tell(update))
    this.#progress = new ProgressPacer({
      clock,
      profile,
      tell: (toolCallId, text) => this.#tellAll(this.#projection.progress(toolCallId, text)),
    })
    this.#inputs = new InputPacer(clock, (call) => this.#tellAll(this.#projection.input(call)))
    this.#asks = new ClientAsks({
      engine,
      userId,
      sessionId,
      peer,
      profile,
      abilities,
      extension: parts.extension,
      isOwnTurn,
      openCall: (toolCallId) => this.#projection.openCall(toolCallId),
      callForApproval: (toolCallId) => this.#projection.callForApproval(toolCallId),
      askInWords: (question, call, signal) => this.#askInWords(question, call, signal),
      log,
    })
    this.#words = new AwaitedWords({
      isAsking: () => this.#asks.isAskingPermission,
      endPrompt: (turnId) => this.own.end(turnId, { outcome: 'finished' }),
    })
    this.#notes = new LiveNotes({
      agents,
      models,
      abilities,
      profile,
      configOptions: (settings) => this.#configOptions(settings),
      isChanging: () => this.#changes > 0,
    })
    this.#editor = new EditorPresence(parts, {
      embed: (toolCallId, terminalId) => this.#tellAll(this.#projection.embed(toolCallId, terminalId)),
      released: (toolCallId) => this.#projection.released(toolCallId),
    })
    this.#gate = new EventGate({
      pastSeq: parts.pastSeq,
      prepare: (recorded) => (this.#isShown(recorded) ? images.load(recorded) : undefined),
      recorded: (recorded) => this.#recorded(recorded),
      delta: (delta) => {
        for (const update of this.#projection.delta(delta)) this.#chunks.push(update)
      },
      progress: ({ toolCallId, text }) => this.#progress.push(toolCallId, text),
      input: (input) => this.#inputs.push(input),
      retrying: (retry) => this.#retrying(retry),
    })
    this.#follower = new SessionFollower({
      engine,
      userId,
      sessionId,
      pace: parts.out,
      resumed: () => {
        this.#progress.stop()
        this.#inputs.stop()
      },
      failed: (error) => this.#logLost(error),
    })
    this.#begin = this.#gate.hold()
  }

  /** Resolves when the history has been sent, if it is sent at all. */
  async open(): Promise<void> {
    await this.#follower.follow(0, this.#createReader())
    await this.#gate.pastPassed()
  }

  /** Call it when the client knows the session id. Sends live updates and asks about everything that waits for an answer. */
  goLive(): void {
    if (this.#isLive) return
    this.#isLive = true
    for (const run of this.#untilLive.splice(0)) run()
    this.#tellAll(this.#projection.runningCalls())
    const hasMemory = this.#parts.deps.memories !== undefined
    this.tell({ sessionUpdate: 'available_commands_update', availableCommands: [...commandsWith({ hasMemory })] })
    this.#tellAll(this.#notes.usage(this.#settings.agent))
    this.#asks.goLive()
    this.#editor.begin()
    this.#begin()
  }

  /** Runs `run` now, or as soon as the session is live. */
  whenLive(run: () => void): void {
    if (this.#isLive) run()
    else this.#untilLive.push(run)
  }

  /** Holds back events until `run` has settled, so that this connection recognizes the turns it started. */
  async holding<T>(run: () => Promise<T>): Promise<T> {
    const release = this.#gate.hold()
    try {
      return await run()
    } finally {
      release()
    }
  }

  /** Runs a change of settings by this client. The client is not sent an update about its own change. */
  async changing(run: () => Promise<unknown>): Promise<void> {
    const release = this.#gate.hold()
    try {
      await run()
    } finally {
      this.#changes += 1
      release()
      this.#changes -= 1
    }
  }

  view(): Promise<SessionView> {
    const { deps, options } = this.#parts
    return deps.engine.readSession(options.userId, this.sessionId)
  }

  get preset(): Preset {
    return this.#settings.preset
  }

  get modes(): SessionModeState {
    return toModes(this.#settings, this.#parts.options.rights.presets)
  }

  get configOptions(): SessionConfigOption[] {
    return this.#configOptions(this.#settings)
  }

  /** `provider/model` */
  get model(): string | undefined {
    const { agents, models } = this.#parts.deps
    return currentModel(this.#settings.model, agents.find(this.#settings.agent), models)
  }

  /** Whether the session's model is no longer available. */
  get hasLostModel(): boolean {
    return this.#settings.model !== undefined && this.model !== this.#settings.model
  }

  describeUsage(): string {
    return this.#notes.describeUsage(this.#settings.agent)
  }

  tell(update: SessionUpdate): void {
    this.#parts.peer.notify('session/update', { sessionId: this.sessionId, update })
  }

  /** Sends nothing to a client that does not show notices: a problem is not part of the conversation. */
  tellProblem(title: string): void {
    if (this.#parts.abilities.showsNotices) this.tell({ sessionUpdate: 'notice', severity: 'warning', title })
  }

  /** What happens beside the conversation. Clients that do not show notices get it as a thought. Never replayed. */
  tellNotice(title: string, messageId: string): void {
    if (this.#parts.abilities.showsNotices) this.tellProblem(title)
    else this.#tellAll([chunk('agent_thought_chunk', messageId, title)])
  }

  say(messageId: string, text: string): void {
    this.tell(chunk('agent_message_chunk', messageId, text))
  }

  /** Takes a prompt as the answer to a question that waits for words. Returns the turn that goes on. */
  answerInWords(text: string): TurnId | undefined {
    return this.#words.take(text)
  }

  #askInWords(question: Question, { toolCallId, turnId }: AskedCall, signal: AbortSignal): Promise<string> {
    this.#chunks.flush()
    this.say(`${toolCallId}_question`, describeQuestion(question))
    return this.#words.wait(turnId, signal)
  }

  /** Calls `listener` with each event recorded from now on, after its updates were sent. */
  listen(listener: (recorded: Recorded) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Sends no more requests to the client. */
  stopAsking(): void {
    this.#asks.stop()
    this.#editor.end()
  }

  /** Stops sending, and answers open prompts with `outcome`. Idempotent. */
  close(outcome: 'cancelled' | 'interrupted' = 'cancelled'): void {
    this.stopAsking()
    this.#follower.close()
    this.#gate.close()
    this.#chunks.stop()
    this.#progress.stop()
    this.#inputs.stop()
    this.own.endAll({ outcome })
  }

  #createReader(): SessionReader {
    return {
      recorded: (recorded) => this.#take({ type: 'recorded', recorded }),
      delta: (delta) => this.#take({ type: 'delta', delta }),
      progress: (progress) => this.#take({ type: 'progress', progress }),
      // Profile seed announces a call when it is complete.
      ...(this.#parts.options.profile === 'standard' && {
        input: (input) => this.#take({ type: 'input', input }),
        retrying: (retry) => this.#take({ type: 'retrying', retry }),
      }),
      closed: (reason) => this.#closed(reason),
    }
  }

  #take(item: GateItem): void {
    this.#gate.push(item)
    if (this.#parts.out.isFull) this.#follower.pause()
  }

  #recorded(recorded: Recorded): void {
    const { event, seq } = recorded
    this.#chunks.flush()
    try {
      this.#show(recorded)
    } catch (error) {
      // One broken event must not hold back the others.
      this.#parts.deps.log({
        level: 'error',
        message: 'an event could not be sent to a client',
        sessionId: this.sessionId,
        seq,
        error,
      })
    }
    this.own.recorded(event)
    this.#words.recorded(event)
    for (const listener of this.#listeners) listener(recorded)
  }

  #retrying({ stepId, error, delayMs }: StepRetry): void {
    this.#inputs.end(stepId)
    this.#tellAll(this.#projection.retrying(stepId))
    const seconds = Math.max(1, Math.round(delayMs / 1000))
    this.tellNotice(`${error.message} Trying again in ${seconds} s.`, `${stepId}_retry`)
  }

  #isShown({ seq }: Recorded): boolean {
    return seq > this.#parts.pastSeq || this.#parts.past !== 'never'
  }

  #show(recorded: Recorded): void {
    const { event, seq } = recorded
    const { pastSeq, past } = this.#parts
    const isPast = seq <= pastSeq
    const before = this.#settings
    this.#settings = foldSettings(before, event)
    const notes = this.#notes.recorded(event, before, this.#settings)
    if (event.type === 'tool-call.settled') this.#progress.settle(event.toolCallId)
    if (event.type === 'step.answered' || event.type === 'step.ended') this.#inputs.end(event.stepId)
    const updates = this.#projection.recorded(recorded, isPast)
    if (!isPast || past === 'now') this.#tellAll(updates)
    else if (past === 'later') this.whenLive(() => this.#tellAll(updates))
    this.#asks.recorded(event)
    if (!isPast) this.#tellAll(notes)
    if (event.type === 'input.admitted' || event.type === 'session.seeded') this.#learnTitle(isPast)
  }

  #tellAll(updates: readonly SessionUpdate[]): void {
    if (updates.length > 0) this.#chunks.flush()
    for (const update of updates) this.tell(update)
  }

  /** The title comes from the first input. It is sent before the updates that follow that input. */
  #learnTitle(isPast: boolean): void {
    if (this.#isTitled || this.#settings.title !== undefined) return
    this.#isTitled = true
    if (isPast) return
    const release = this.#gate.hold()
    void this.#tellTitle().finally(release)
  }

  async #tellTitle(): Promise<void> {
    try {
      const { title, updatedAt } = await this.view()
      if (title === undefined) this.#isTitled = false
      else this.tell({ sessionUpdate: 'session_info_update', title, updatedAt: new Date(updatedAt).toISOString() })
    } catch (error) {
      this.#parts.deps.log({
        level: 'info',
        message: 'the title of a session could not be read',
        sessionId: this.sessionId,
        error,
      })
    }
  }

  #configOptions(settings: SessionSettings): SessionConfigOption[] {
    const { deps, options } = this.#parts
    const { agents, models } = deps
    return sessionConfigOptions(settings, {
      agents,
      models,
      profile: options.profile,
      presets: options.rights.presets,
    })
  }

  #logLost(error: unknown): void {
    if (error instanceof EngineError && error.code === 'session-not-found') return
    const { sessionId } = this
    this.#parts.deps.log({ level: 'error', message: 'a session could not be read again', sessionId, error })
  }

  #closed(reason: 'deleted' | 'stopping'): void {
    this.#follower.close()
    this.#gate.close()
    this.own.endAll({ outcome: reason === 'deleted' ? 'cancelled' : 'interrupted' })
    this.stopAsking()
    this.#parts.closed()
  }
}
