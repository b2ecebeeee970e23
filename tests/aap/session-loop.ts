// A client that works as the official `Session` does (SDK 0.8.0): it keeps a history of its own, takes every call of the
// last assistant message without a tool message for waiting, runs those of its own tools, and sends permissions for the
// others, all in one request.
import type { AapClient } from '../support/aap-client.ts'
import type {
  Block,
  Content,
  HistoryMessage,
  Permission,
  StreamMode,
  ToolCall,
  ToolMessage,
  TurnMessage,
} from '../support/aap-wire.ts'
import { blocksOf } from '../support/played-turn.ts'
import type { SessionSetup } from '../support/aap-session.ts'
import type { Frame } from '../support/sse-parser.ts'

export interface Pending {
  readonly client: readonly ToolCall[]
  readonly server: readonly ToolCall[]
}

export interface Sent {
  readonly generated: readonly HistoryMessage[]
  readonly pending: Pending
  readonly stopReason: string
}

/** Answers a call that seems to wait: `tool` for its own tools, a permission for others. */
export type AnswerPending = (pending: Pending) => readonly (ToolMessage | Permission)[]

export interface SessionLoop {
  readonly id: string
  /** As the client has it, without permissions. */
  readonly history: readonly HistoryMessage[]
  /** One turn. Throws when it is refused. */
  send(messages: readonly TurnMessage[]): Promise<Sent>
  /** A turn, and more of them until nothing seems to wait. Returns the stop reasons. */
  play(script: string, answer: AnswerPending): Promise<readonly string[]>
}

/** More rounds than any script of a test needs. */
const MAX_ROUNDS = 50

export async function openSessionLoop(
  client: AapClient,
  mode: StreamMode,
  setup: SessionSetup = {},
): Promise<SessionLoop> {
  const { agent = 'scripted', tools = [], clientTools = [], seed = [] } = setup
  const isV1 = client.dialect.name === 'v1'
  const first: HistoryMessage[] = isV1 ? [{ role: 'user', content: 'say ready' }] : []
  const messages = [...seed, ...first]
  const created = await client.create({ agent: { name: agent, tools }, tools: clientTools, messages })
  if (created.status !== 201) throw new Error(`the session was refused: ${created.status} ${created.text}`)
  const id = created.body.sessionId
  const history: (HistoryMessage | Permission)[] = [...messages, ...(created.body.messages ?? [])]
  const clientNames = new Set(clientTools.map(({ name }) => name))
  const known = (): HistoryMessage[] => history.filter((message) => message.role !== 'tool_permission')

  async function send(incoming: readonly TurnMessage[]): Promise<Sent> {
    const { generated, stopReason } = await request(client, id, { mode, messages: incoming })
    history.push(...incoming, ...generated)
    return { generated, stopReason, pending: findPending(known(), clientNames) }
  }

  return {
    id,
    get history() {
      return known()
    },
    send,
    async play(script, answer) {
      const stops: string[] = []
      let incoming: readonly TurnMessage[] = [{ role: 'user', content: script }]
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const { pending, stopReason } = await send(incoming)
        stops.push(stopReason)
        if (pending.client.length + pending.server.length === 0) return stops
        incoming = answer(pending)
      }
      throw new Error(`calls still wait after ${MAX_ROUNDS} rounds`)
    },
  }
}

async function request(
  client: AapClient,
  id: string,
  { mode, messages }: { readonly mode: StreamMode; readonly messages: readonly TurnMessage[] },
): Promise<Pick<Sent, 'generated' | 'stopReason'>> {
  if (mode === 'none') {
    const answer = await client.turn(id, { messages })
    if (answer.status !== 200) throw new Error(`the turn was refused: ${answer.status} ${answer.text}`)
    return { generated: answer.body.messages, stopReason: answer.body.stopReason }
  }
  const stream = await client.streamTurn(id, { messages, stream: mode })
  if (stream.status !== 200) throw new Error(`the turn was refused: ${stream.status}`)
  const frames = await stream.finished()
  return { generated: collectMessages(frames), stopReason: String(frames.at(-1)?.data['stopReason']) }
}

/** As the official client reads events: a result ends an assistant message, and text stands before thinking. */
function collectMessages(frames: readonly Frame[]): readonly HistoryMessage[] {
  const messages: HistoryMessage[] = []
  let blocks: Block[] = []
  let text = ''
  let thinking = ''
  const flushText = (): void => {
    if (text !== '') blocks.push({ type: 'text', text })
    if (thinking !== '') blocks.push({ type: 'thinking', thinking })
    text = ''
    thinking = ''
  }
  const flush = (): void => {
    if (blocks.length > 0) messages.push({ role: 'assistant', content: blocks })
    blocks = []
  }
  for (const { event, data } of frames) {
    if (!event.endsWith('_delta')) flushText()
    if (event === 'text_delta') text += String(data['delta'])
    else if (event === 'thinking_delta') thinking += String(data['delta'])
    else if (event === 'text') blocks.push({ type: 'text', text: String(data['text']) })
    else if (event === 'thinking') blocks.push({ type: 'thinking', thinking: String(data['thinking']) })
    else if (event === 'tool_call') {
      const { toolCallId, name, input } = data as unknown as ToolCall
      blocks.push({ type: 'tool_use', toolCallId, name, input })
    } else if (event === 'tool_result') {
      flush()
      messages.push({ role: 'tool', toolCallId: String(data['toolCallId']), content: data['content'] as Content })
    } else if (event === 'turn_stop') flush()
  }
  return messages
}

export function findPending(history: readonly HistoryMessage[], clientNames: ReadonlySet<string>): Pending {
  const last = history.findLast(({ role }) => role === 'assistant')
  const answered = new Set(history.map((message) => (message.role === 'tool' ? message.toolCallId : undefined)))
  const blocks = last?.role === 'assistant' ? blocksOf(last.content) : []
  const calls = blocks
    .filter((block) => block.type === 'tool_use')
    .filter(({ toolCallId }) => !answered.has(toolCallId))
    .map(({ toolCallId, name, input }): ToolCall => ({ toolCallId, name, input }))
  return {
    client: calls.filter(({ name }) => clientNames.has(name)),
    server: calls.filter(({ name }) => !clientNames.has(name)),
  }
}

/** Runs its own tools and grants the rest. */
export const grantAll: AnswerPending = ({ client, server }) => [
  ...client.map(({ toolCallId, name }): ToolMessage => ({
    role: 'tool',
    toolCallId,
    content: `${name} at the client`,
  })),
  ...server.map(({ toolCallId }): Permission => ({ role: 'tool_permission', toolCallId, granted: true })),
]

/** Denies everything, its own tools included. */
export const denyAll: AnswerPending = ({ client, server }) =>
  [...client, ...server].map(({ toolCallId }): Permission => ({ role: 'tool_permission', toolCallId, granted: false }))

/** A message without what stream modes may tell differently: how its text was cut, and where its thinking stood. */
export function essence(message: HistoryMessage): unknown {
  if (message.role !== 'assistant') return message
  const blocks = blocksOf(message.content)
  return {
    role: 'assistant',
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thinking: blocks.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: blocks
      .filter((block) => block.type === 'tool_use')
      .map(({ toolCallId, name, input }) => ({ toolCallId, name, input })),
  }
}
