import {
  EngineError,
  SessionFollower,
  type Recorded,
  type SessionId,
  type SessionReader,
  type SessionView,
  type StepRetry,
  type TurnId,
} from '@polylogue/engine'
import type { CommandedSession, SessionCommand } from '@polylogue/kit'
import { commandsWith, toAvailableCommand } from '../slash-command-list.ts'
import { EditorPresence } from '../editor/editor-presence.ts'
import { HistoryProjection } from '../projection/history-projection.ts'
import { AwaitedWords } from './awaited-words.ts'
import { ClientAsks, type AskedCall } from './client-asks.ts'
import { EventGate, type GateItem } from './event-gate.ts'
import { LiveNotes } from './live-notes.ts'
import { OwnTurns } from './own-turns.ts'
import { describeQuestion, spellOutQuestion, type Question } from './questions.ts'
import { ResultImages } from './result-images.ts'
import { SessionChoices } from './session-choices.ts'
import { SessionOutput } from './session-output.ts'
import type { SessionParts } from './session-parts.ts'
import { SessionTitle } from './session-title.ts'

/** One session that one connection has open. The client gets everything that happens in it, also turns that others started. */
export class AcpSession {
  readonly sessionId: SessionId
  readonly own = new OwnTurns()
  readonly choices: SessionChoices
  readonly output: SessionOutput
  readonly #parts: SessionParts
  readonly #projection: HistoryProjection
  readonly #asks: ClientAsks
  readonly #words: AwaitedWords
  readonly #notes: LiveNotes
  readonly #editor: EditorPresence
  readonly #gate: EventGate
  readonly #title: SessionTitle
  readonly #follower: SessionFollower
  readonly #listeners = new Set<(recorded: Recorded) => void>()
  /** Starts live updates. The client must know the session id before it receives any. */
  readonly #begin: () => void
  readonly #untilLive: (() => void)[] = []
  #isLive = false
  #toldCommands = ''
  #changes = 0

  constructor(parts: SessionParts) {
    const { deps, options, sessionId, abilities, peer } = parts
    const { engine, agents, models } = deps
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
    this.output = new SessionOutput(parts, this.#projection)
    this.choices = new SessionChoices(parts)
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
      configOptions: (settings) => this.choices.configOptionsOf(settings),
      isChanging: () => this.#changes > 0,
    })
    this.#editor = new EditorPresence(parts, {
      embed: (toolCallId, terminalId) => this.output.tellAll(this.#projection.embed(toolCallId, terminalId)),
      released: (toolCallId) => this.#projection.released(toolCallId),
    })
    this.#gate = new EventGate({
      pastSeq: parts.pastSeq,
      prepare: (recorded) => (this.#isShown(recorded) ? images.load(recorded) : undefined),
      recorded: (recorded) => this.#recorded(recorded),
      delta: (delta) => this.output.delta(delta),
      progress: (progress) => this.output.progress(progress),
      input: (input) => this.output.input(input),
      retrying: (retry) => this.#retrying(retry),
    })
    this.#follower = new SessionFollower({
      engine,
      userId,
      sessionId,
      pace: parts.out,
      resumed: () => this.output.dropLiveOutput(),
      failed: (error) => this.#logLost(error),
    })
    this.#title = new SessionTitle({
      isKnown: () => this.choices.settings.title !== undefined,
      view: () => this.view(),
      hold: () => this.#gate.hold(),
      tell: (update) => this.output.tell(update),
      failed: (error) => log({ level: 'info', message: 'the title of a session could not be read', sessionId, error }),
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
    this.output.tellAll(this.#projection.runningCalls())
    this.tellCommands()
    this.output.tellAll(this.#notes.usage(this.choices.settings.agent))
    this.#asks.goLive()
    this.#editor.begin()
    this.#begin()
  }

  /** The session, as commands know it. */
  get commanded(): CommandedSession {
    const { options, sessionId } = this.#parts
    return { userId: options.userId, sessionId, agent: this.choices.settings.agent }
  }

  /** The commands that a prompt may begin with now. */
  commands(): readonly SessionCommand[] {
    const { commands, memories } = this.#parts.deps
    return commandsWith(commands.list(this.commanded), { hasMemory: memories !== undefined })
  }

  /** Tells the client which commands there are, unless it knows. */
  tellCommands(): void {
    const availableCommands = this.commands().map(toAvailableCommand)
    const told = JSON.stringify(availableCommands)
    if (!this.#isLive || told === this.#toldCommands) return
    this.#toldCommands = told
    this.output.tell({ sessionUpdate: 'available_commands_update', availableCommands })
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

  describeUsage(): string {
    return this.#notes.describeUsage(this.choices.settings.agent)
  }

  /** Takes a prompt as the answer to a question that was asked with a message. Returns the turn that continues. */
  answerInWords(text: string): TurnId | undefined {
    return this.#words.take(text)
  }

  #askInWords(question: Question, { toolCallId, turnId }: AskedCall, signal: AbortSignal): Promise<string> {
    this.output.flush()
    this.output.say(`${toolCallId}_question`, describeQuestion(spellOutQuestion(question)))
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

  /** The last recorded event that the client got. */
  get cursor(): number {
    return this.#follower.seq
  }

  /** Stops sending, and answers open prompts with `outcome`. Idempotent. */
  close(outcome: 'cancelled' | 'interrupted' = 'cancelled'): void {
    this.stopAsking()
    this.#follower.close()
    this.#gate.close()
    this.output.stop()
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
    this.output.flush()
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
    this.output.dropInputs(stepId)
    const seconds = Math.max(1, Math.round(delayMs / 1000))
    this.output.tellNotice(`${error.message} Trying again in ${seconds} s.`, `${stepId}_retry`)
  }

  #isShown({ seq }: Recorded): boolean {
    return seq > this.#parts.pastSeq || this.#parts.past !== 'never'
  }

  #show(recorded: Recorded): void {
    const { event, seq } = recorded
    const { pastSeq, past } = this.#parts
    const isPast = seq <= pastSeq
    const before = this.choices.settings
    this.choices.recorded(event)
    const notes = this.#notes.recorded(event, before, this.choices.settings)
    this.output.recorded(event)
    const updates = this.#projection.recorded(recorded, isPast)
    if (!isPast || past === 'now') this.output.tellAll(updates)
    else if (past === 'later') this.whenLive(() => this.output.tellAll(updates))
    // What a question is about comes before the question.
    if (!isPast) this.output.tellAll(notes)
    this.#asks.recorded(event)
    this.#title.recorded(event, isPast ? 'past' : 'live')
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
