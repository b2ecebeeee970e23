// The agent of the documented server. It follows the lines of a message: `say`, `think`, `call ID NAME JSON`, `fail`,
// `stop REASON`, `sleep MS`. It shares no code with Polylogue.

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | {
      readonly type: 'tool_use'
      readonly toolCallId: string
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
    }

export interface Message {
  readonly role: string
  readonly content?: string | readonly Block[]
  readonly toolCallId?: string
  readonly granted?: boolean
  readonly reason?: string
}

export interface Conversation {
  readonly history: Message[]
  /** Tools of the server that the client enabled. */
  readonly enabled: readonly { readonly name: string; readonly trust?: boolean }[]
}

export interface Spoken {
  readonly messages: readonly Message[]
  readonly stopReason: string
}

type Emit = (event: Readonly<Record<string, unknown>>) => void

export const ECHO = {
  name: 'echo',
  description: 'Returns its message',
  schema: { type: 'object', properties: { msg: { type: 'string' } } },
}

/** Calls of the last answer that have no result. */
export function pendingCalls({ history }: Conversation): readonly string[] {
  const last = history.findLast(({ role }) => role === 'assistant')
  const calls = callsOf(last).map(({ toolCallId }) => toolCallId)
  const settled = new Set(history.map(({ toolCallId }) => toolCallId))
  return calls.filter((id) => !settled.has(id))
}

/** Runs one turn. `emit` gets every event between `turn_start` and `turn_stop`, as of delta mode. */
export async function runTurn(conversation: Conversation, incoming: readonly Message[], emit: Emit): Promise<Spoken> {
  const { history } = conversation
  const start = history.length
  let stopReason = 'end_turn'
  if (incoming[0]?.role === 'user') {
    history.push(...incoming)
    const answer = await follow(textOf(incoming[0]), emit)
    stopReason = answer.stopReason
    if (answer.blocks.length > 0) history.push({ role: 'assistant', content: answer.blocks })
  } else {
    for (const message of incoming) settle(conversation, message, emit)
  }
  for (const call of callsOf(history.at(-1))) {
    const isTrusted = conversation.enabled.some(({ name, trust }) => name === call.name && trust === true)
    const content = String(call.input['msg'])
    if (isTrusted && call.name === ECHO.name) history.push(emitResult({ toolCallId: call.toolCallId, content }, emit))
  }
  if (pendingCalls(conversation).length > 0) stopReason = 'tool_use'
  else if (history.at(-1)?.role === 'tool') {
    const results = history.slice(history.findLastIndex(({ role }) => role === 'assistant') + 1)
    const text = `RESULTS: ${results.map(textOf).join(', ')}`
    emit({ event: 'text_delta', delta: text })
    history.push({ role: 'assistant', content: [{ type: 'text', text }] })
  }
  const isOwn = ({ role }: Message): boolean => role === 'assistant' || role === 'tool'
  return {
    stopReason,
    messages: history.slice(start).filter((message) => isOwn(message) && !incoming.includes(message)),
  }
}

async function follow(script: string, emit: Emit): Promise<{ readonly blocks: Block[]; readonly stopReason: string }> {
  const blocks: Block[] = []
  for (const line of script.split('\n')) {
    const [verb = '', ...words] = line.split(' ')
    const rest = words.join(' ')
    if (verb === 'say') {
      for (const delta of rest.split(/(?<= )/)) emit({ event: 'text_delta', delta })
      blocks.push({ type: 'text', text: rest })
    }
    if (verb === 'think') {
      emit({ event: 'thinking_delta', delta: rest })
      blocks.push({ type: 'thinking', thinking: rest })
    }
    if (verb === 'call') {
      const [toolCallId = '', name = '', ...json] = words
      const call = { toolCallId, name, input: JSON.parse(json.join(' ')) as Record<string, unknown> }
      emit({ event: 'tool_call', ...call })
      blocks.push({ type: 'tool_use', ...call })
    }
    if (verb === 'sleep') await new Promise((resolve) => setTimeout(resolve, Number(rest)))
    if (verb === 'fail') return { blocks, stopReason: 'error' }
    if (verb === 'stop') return { blocks, stopReason: rest }
  }
  return { blocks, stopReason: 'end_turn' }
}

function settle({ history }: Conversation, message: Message, emit: Emit): void {
  if (message.role === 'tool') return void history.push(message)
  const { toolCallId = '', granted, reason } = message
  const call = history.flatMap(callsOf).find((made) => made.toolCallId === toolCallId)
  const denied = reason === undefined ? 'Tool call denied' : `Tool call denied: ${reason}`
  history.push(emitResult({ toolCallId, content: granted === true ? String(call?.input['msg']) : denied }, emit))
}

function emitResult(result: { readonly toolCallId: string; readonly content: string }, emit: Emit): Message {
  emit({ event: 'tool_result', ...result })
  return { role: 'tool', ...result }
}

function callsOf(message: Message | undefined) {
  const content = message?.content
  return typeof content === 'object' ? content.filter((block) => block.type === 'tool_use') : []
}

function textOf({ content = '' }: Message): string {
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}
