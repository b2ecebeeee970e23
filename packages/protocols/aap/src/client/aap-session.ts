import { randomId } from '@polylogue/kit/client'
import type { StopReason, WireContent, WireEvent, WireMessage } from '../wire.ts'
import type { AapClient } from './aap-client.ts'
import { AapError } from './aap-error.ts'
import type { ClientTool } from './client-tool.ts'
import { foldTurn, type TurnFold } from './fold-turn.ts'
import { findPendingCalls, type PendingCall } from './pending-calls.ts'
import type { ReceivedEvent } from './read-events.ts'
import type { AgentChanges, NewTurn, TurnMessage } from './requests.ts'

/** Who answers calls that wait. Without a callback, such calls stay pending. */
export interface Answers {
  /** A tool of the server asks for permission. */
  onApproval?(call: PendingCall): boolean | { readonly granted: boolean; readonly reason?: string } | Promise<Approval>
  /** The agent asks its user. The answer is text. */
  onQuestion?(call: PendingCall): WireContent | Promise<WireContent>
}

type Approval = boolean | { readonly granted: boolean; readonly reason?: string }

export interface SessionOptions extends Answers {
  readonly agent: AgentChanges & { readonly name: string }
  readonly tools?: readonly ClientTool[]
}

/** Question tools are called this on every server that has them. */
const QUESTION = 'AskUserQuestion'

/** A conversation: it keeps the messages, runs client tools, and answers every call that waits in one request. */
export class AapSession {
  readonly #client: AapClient
  readonly #options: SessionOptions
  #sessionId: string | undefined
  /** All messages except those of `#fold`. */
  #settled: readonly WireMessage[] = []
  /** The turn that was sent last. */
  #fold: TurnFold | undefined
  #messages: readonly WireMessage[] | undefined
  #cursor: string | undefined
  #stopReason: StopReason | undefined
  /** What the server knows. Changed only after it has accepted a turn. */
  #sent: AgentChanges
  #wanted: AgentChanges

  private constructor(client: AapClient, options: SessionOptions, sessionId: string | undefined) {
    this.#client = client
    this.#options = options
    this.#sessionId = sessionId
    this.#sent = this.#wanted = { ...options.agent }
  }

  static async create(client: AapClient, options: SessionOptions): Promise<AapSession> {
    const session = new AapSession(client, options, undefined)
    if (client.dialect.createsWithoutTurn) {
      session.#sessionId = await client.createSession({ agent: options.agent, ...session.#tools() })
    }
    return session
  }

  /** Continues a session, also one created at another door. Pending calls are found in its history. */
  static async load(
    client: AapClient,
    sessionId: string,
    options: Omit<SessionOptions, 'agent'> = {},
  ): Promise<AapSession> {
    const stored = await client.session(sessionId)
    if (stored === undefined) throw new AapError(404, 'There is no such session.')
    const session = new AapSession(client, { ...options, agent: stored.agent }, sessionId)
    await session.reload()
    return session
  }

  get id(): string | undefined {
    return this.#sessionId
  }

  /** The same array until an event arrives. */
  get messages(): readonly WireMessage[] {
    this.#messages ??= [...this.#settled, ...(this.#fold?.messages() ?? [])]
    return this.#messages
  }

  /** The id of the last event, on servers that send ids: `attach` continues after it. */
  get cursor(): string | undefined {
    return this.#cursor
  }

  get stopReason(): StopReason | undefined {
    return this.#stopReason
  }

  get pending(): readonly PendingCall[] {
    return findPendingCalls(this.messages)
  }

  /** Changes tools or options of the agent with the next turn. Only what differs is sent. */
  configure(changes: AgentChanges): void {
    this.#wanted = { ...this.#wanted, ...changes }
  }

  /** Sends a user message and continues until no pending call is left that this client can answer. Yields every event. */
  async *send(content: WireContent, signal?: AbortSignal): AsyncGenerator<WireEvent> {
    yield* this.#converse([{ role: 'user', content }], signal)
  }

  /** Answers the calls that wait, as after `load`. */
  async *resume(signal?: AbortSignal): AsyncGenerator<WireEvent> {
    const answers = await this.#answer(signal)
    if (answers.length > 0) yield* this.#converse(answers, signal)
  }

  /**
   * Our server: follows the turn that runs, after the event with that id, as after a reload of the page. Then reads the
   * messages again and answers the calls that wait.
   */
  async *attach(after: string, signal?: AbortSignal): AsyncGenerator<WireEvent> {
    if (this.#sessionId === undefined) return
    for await (const received of this.#client.attachTurn(this.#sessionId, after, signal)) {
      this.#note(received)
      yield received.event
    }
    await this.reload(signal)
    if (this.#stopReason === 'tool_use') yield* this.resume(signal)
  }

  /** Replaces the messages by those of the server, as after `TurnCutOff`. */
  async reload(signal?: AbortSignal): Promise<void> {
    if (this.#sessionId === undefined) return
    const history = await this.#client.history(this.#sessionId, 'full', signal)
    if (history === undefined) throw new AapError(404, 'There is no such session.')
    this.#settled = history
    this.#fold = this.#messages = undefined
  }

  async *#converse(first: readonly TurnMessage[], signal?: AbortSignal): AsyncGenerator<WireEvent> {
    for (let messages = first; messages.length > 0; messages = await this.#answer(signal)) {
      yield* this.#turn(messages, signal)
      if (this.#stopReason !== 'tool_use') return
    }
  }

  async *#turn(messages: readonly TurnMessage[], signal?: AbortSignal): AsyncGenerator<WireEvent> {
    const changes = changesBetween(this.#sent, this.#wanted)
    const known = { idempotencyKey: randomId(), repeat: 'auto' } as const
    const turn: NewTurn = { messages, ...known, ...(changes && { agent: changes }) }
    const sent = messages.filter((message) => message.role !== 'tool_permission')
    const events =
      this.#sessionId === undefined
        ? this.#client.startSession({ agent: this.#options.agent, ...this.#tools(), ...known, messages }, signal)
        : this.#client.streamTurn(this.#sessionId, turn, signal)
    this.#stopReason = undefined
    const before = this.messages
    let fold: TurnFold | undefined
    for await (const received of events) {
      this.#sent = this.#wanted
      this.#note(received)
      if (fold === undefined) {
        // The server has accepted the turn.
        this.#settled = [...before, ...sent]
        this.#fold = fold = foldTurn()
      }
      fold.apply(received.event, received.id)
      this.#messages = undefined
      yield received.event
    }
  }

  #note({ id, event }: ReceivedEvent): void {
    if (id !== '') this.#cursor = id
    if (event.event === 'session_start') this.#sessionId = event.sessionId
    if (event.event === 'turn_stop') this.#stopReason = event.stopReason
  }

  async #answer(signal: AbortSignal = new AbortController().signal): Promise<readonly TurnMessage[]> {
    const answers = await Promise.all(this.pending.map((call) => this.#answerOne(call, signal)))
    return answers.filter((answer) => answer !== undefined)
  }

  async #answerOne(call: PendingCall, signal: AbortSignal): Promise<TurnMessage | undefined> {
    const { toolCallId, name, input } = call
    const tool = this.#options.tools?.find(({ spec }) => spec.name === name)
    if (tool !== undefined) {
      return { role: 'tool', toolCallId, content: await runSafely(() => tool.run(input, { toolCallId, signal })) }
    }
    if (name === QUESTION && this.#options.onQuestion !== undefined) {
      return { role: 'tool', toolCallId, content: await this.#options.onQuestion(call) }
    }
    if (name === QUESTION || this.#options.onApproval === undefined) return undefined
    const approval = await this.#options.onApproval(call)
    const { granted, reason } = typeof approval === 'boolean' ? { granted: approval, reason: undefined } : approval
    return { role: 'tool_permission', toolCallId, granted, ...(reason !== undefined && { reason }) }
  }

  #tools(): Pick<NewTurn, 'tools'> {
    const { tools } = this.#options
    return tools === undefined ? {} : { tools: tools.map(({ spec }) => spec) }
  }
}

/** A tool that throws answers with its error: the model can react to it. */
async function runSafely(run: () => Promise<WireContent>): Promise<WireContent> {
  try {
    return await run()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function changesBetween(sent: AgentChanges, wanted: AgentChanges): AgentChanges | undefined {
  const tools = JSON.stringify(sent.tools) === JSON.stringify(wanted.tools) ? undefined : wanted.tools
  const options = Object.entries(wanted.options ?? {}).filter(([name, value]) => sent.options?.[name] !== value)
  if (tools === undefined && options.length === 0) return undefined
  return { ...(tools && { tools }), ...(options.length > 0 && { options: Object.fromEntries(options) }) }
}
