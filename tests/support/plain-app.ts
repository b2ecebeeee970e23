// A typical client application. It keeps its own transcript, runs its own tools, asks its user about server tools, and sends
// all answers of a stop in one request. It uses only the protocol.
import type { AapClient } from './aap-client.ts'
import { type AapSession, attachSession, messagesOf } from './aap-session.ts'
import type { Content, HistoryMessage, StreamMode, ToolCall, ToolSpec, TurnAnswer, TurnMessage } from './aap-wire.ts'
import { blocksOf, pendingCalls } from './played-turn.ts'
import type { Frame } from './sse-parser.ts'
import { foldFrames } from './fold-frames.ts'

export interface OwnTool {
  readonly spec: ToolSpec
  run(input: ToolCall['input']): Content
}

export interface Verdict {
  readonly granted: boolean
  readonly reason?: string
}

export interface PlainAppOptions {
  readonly client: AapClient
  readonly mode: StreamMode
  readonly agent: {
    readonly name: string
    readonly tools?: readonly { readonly name: string; readonly trust?: boolean }[]
    readonly options?: Readonly<Record<string, string>>
  }
  readonly seed?: readonly HistoryMessage[]
  readonly ownTools?: readonly OwnTool[]
  /** The user's answer about an untrusted server tool. */
  decide?(call: ToolCall): Verdict
}

export interface PlainApp {
  /** Known at once in v3, and after the first message in v1. */
  readonly session: AapSession
  /** The application's transcript, in the form of a full history. */
  readonly transcript: readonly HistoryMessage[]
  /** Calls that needed the user's approval. */
  readonly asked: readonly ToolCall[]
  readonly stopReasons: readonly string[]
  /** Sends a message and answers every stop until the turn ends. Returns the agent's text. */
  send(content: Content): Promise<string>
}

const MOST_STOPS = 20

export function createPlainApp(options: PlainAppOptions): PlainApp {
  const { client, mode, agent, seed = [], ownTools = [] } = options
  const transcript: HistoryMessage[] = [...seed]
  const asked: ToolCall[] = []
  const stopReasons: string[] = []
  const tools = ownTools.map(({ spec }) => spec)
  let session: AapSession | undefined

  async function exchange(messages: readonly TurnMessage[]): Promise<void> {
    if (session) return receive(await post(client, session.id, { mode, body: { messages } }))
    const setup = { agent, ...(tools.length > 0 ? { tools } : {}) }
    if (client.dialect.name === 'v3') {
      const created = await client.create({ ...setup, ...(seed.length > 0 ? { messages: seed } : {}) })
      if (created.status !== 201) throw new Error(`refused: ${created.text}`)
      session = attachSession(client, created.body.sessionId)
      return receive(await post(client, session.id, { mode, body: { messages } }))
    }
    const first = await createAndRun(client, mode, { ...setup, messages: [...seed, ...messages] })
    session = attachSession(client, first.sessionId)
    receive(first)
  }

  function receive({ messages, stopReason }: Received): void {
    transcript.push(...messages)
    stopReasons.push(stopReason)
  }

  function answer(call: ToolCall): TurnMessage {
    const own = ownTools.find(({ spec }) => spec.name === call.name)
    if (own) return { role: 'tool', toolCallId: call.toolCallId, content: own.run(call.input) }
    asked.push(call)
    const verdict = options.decide?.(call) ?? { granted: false }
    return { role: 'tool_permission', toolCallId: call.toolCallId, ...verdict }
  }

  return {
    get session() {
      if (!session) throw new Error('nothing was sent yet')
      return session
    },
    transcript,
    asked,
    stopReasons,
    async send(content) {
      const before = transcript.length
      transcript.push({ role: 'user', content })
      await exchange(messagesOf(content))
      for (let stops = 0; stopReasons.at(-1) === 'tool_use' && stops < MOST_STOPS; stops++) {
        const answers = pendingCalls(transcript).map(answer)
        transcript.push(...answers.filter((message) => message.role === 'tool'))
        await exchange(answers)
      }
      return transcript
        .slice(before)
        .flatMap((message) => (message.role === 'assistant' ? blocksOf(message.content) : []))
        .map((block) => (block.type === 'text' ? block.text : ''))
        .join('')
    },
  }
}

interface Received {
  readonly messages: readonly HistoryMessage[]
  readonly stopReason: string
}

async function post(
  client: AapClient,
  id: string,
  { mode, body }: { readonly mode: StreamMode; readonly body: object },
): Promise<Received> {
  if (mode === 'none') {
    const answer = await client.turn(id, body)
    if (answer.status !== 200) throw new Error(`refused: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const stream = await client.streamTurn(id, { ...body, stream: mode })
  if (stream.status !== 200) throw new Error(`refused: ${stream.status}`)
  return receivedFrom(await stream.finished())
}

async function createAndRun(
  client: AapClient,
  mode: StreamMode,
  body: object,
): Promise<Received & { readonly sessionId: string }> {
  if (mode === 'none') {
    const created = await client.create(body)
    if (created.status !== 201) throw new Error(`refused: ${created.status} ${created.text}`)
    return created.body satisfies TurnAnswer
  }
  const frames = await (await client.streamCreate({ ...body, stream: mode })).finished()
  return { ...receivedFrom(frames), sessionId: String(frames[0]?.data['sessionId']) }
}

function receivedFrom(frames: readonly Frame[]): Received {
  const stop = frames.at(-1)
  if (stop?.event !== 'turn_stop') throw new Error('the stream ended without turn_stop')
  return { messages: foldFrames(frames), stopReason: String(stop.data['stopReason']) }
}
