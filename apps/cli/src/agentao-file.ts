// Agentao keeps a conversation in `<cwd>/.agentao/sessions/<timestamp>.json`: the fields below, with messages as the API of
// OpenAI has them. What of a file makes no sense is left out and counted; a conversation is worth more than its gaps.
import type { ImportedMessage, ImportedPart, Message, SessionRecord } from '@polylogue/console/client'
import { basename, dirname } from 'node:path'
import { z } from 'zod'

const agentaoFile = z.looseObject({
  session_id: z.string().nullish(),
  title: z.string().nullish(),
  messages: z.array(z.unknown()),
})

const toolCall = z.object({
  id: z.string().min(1),
  function: z.object({ name: z.string().min(1).max(200), arguments: z.string().nullish() }),
})

const jsonValue = z.json()
const jsonObject = z.record(z.string(), jsonValue)
type JsonObject = z.infer<typeof jsonObject>

const textPart = z.object({ type: z.literal('text'), text: z.string() })
const content = z.union([z.string(), z.array(z.unknown()), z.null(), z.undefined()])

const agentaoMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system') }),
  z.object({ role: z.literal('user'), content }),
  z.object({
    role: z.literal('assistant'),
    content,
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(z.unknown()).nullish(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content }),
])

export interface ImportedConversation {
  readonly title?: string
  readonly messages: readonly ImportedMessage[]
  /** Messages and calls that made no sense. */
  readonly skipped: number
}

/** `undefined`: this is no such file. */
export function parseAgentaoFile(value: unknown): ImportedConversation | undefined {
  const file = agentaoFile.safeParse(value)
  if (!file.success) return undefined
  const reader = new ConversationReader()
  for (const message of file.data.messages) reader.read(message)
  reader.settleOpenCalls()
  const title = file.data.title?.trim().slice(0, 200)
  return { messages: reader.messages, skipped: reader.skipped, ...(title && { title }) }
}

/** Where the conversation took place, as the place of the file tells. */
export function directoryOfAgentaoFile(path: string): string | undefined {
  const sessions = dirname(path)
  const folder = dirname(sessions)
  return basename(sessions) === 'sessions' && basename(folder) === '.agentao' ? dirname(folder) : undefined
}

class ConversationReader {
  readonly messages: ImportedMessage[] = []
  skipped = 0
  readonly #ids = new Map<string, string>()
  readonly #open = new Set<string>()

  read(value: unknown): void {
    const parsed = agentaoMessage.safeParse(value)
    if (!parsed.success) {
      this.skipped += 1
      return
    }
    const message = parsed.data
    // The instructions of another program; our agents have their own.
    if (message.role === 'system') return
    if (message.role === 'tool') return this.#readResult(message.tool_call_id, textOf(message.content))
    this.settleOpenCalls()
    if (message.role === 'user') {
      const text = textOf(message.content)
      if (text !== '') this.messages.push({ role: 'user', content: text })
      return
    }
    const text = textOf(message.content)
    const thinking = message.reasoning_content ?? ''
    const parts: ImportedPart[] = [
      ...(thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking }]),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...(message.tool_calls ?? []).flatMap((call) => this.#readCall(call)),
    ]
    if (parts.length > 0) this.messages.push({ role: 'assistant', content: parts })
  }

  /** A provider wants a result for every call before anything else is said. */
  settleOpenCalls(): void {
    for (const toolCallId of this.#open) {
      this.messages.push({ role: 'tool', toolCallId, content: '(no result was kept)' })
    }
    this.#open.clear()
  }

  #readCall(value: unknown): readonly ImportedPart[] {
    const parsed = toolCall.safeParse(value)
    if (!parsed.success || this.#ids.has(parsed.data.id)) {
      this.skipped += 1
      return []
    }
    const { id, function: called } = parsed.data
    const toolCallId = /^(?!ask_)[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `imported_${this.#ids.size + 1}`
    this.#ids.set(id, toolCallId)
    this.#open.add(toolCallId)
    return [{ type: 'tool-call', toolCallId, name: called.name, input: inputOf(called.arguments ?? '{}') }]
  }

  #readResult(id: string, text: string): void {
    const toolCallId = this.#ids.get(id)
    if (toolCallId === undefined || !this.#open.delete(toolCallId)) this.skipped += 1
    else this.messages.push({ role: 'tool', toolCallId, content: text })
  }
}

function inputOf(text: string): JsonObject {
  try {
    const value = jsonValue.parse(JSON.parse(text))
    return jsonObject.safeParse(value).data ?? { _value: value }
  } catch {
    return { _raw: text }
  }
}

function textOf(value: z.infer<typeof content>): string {
  if (typeof value === 'string') return value
  return (value ?? []).flatMap((piece) => textPart.safeParse(piece).data?.text ?? []).join('\n')
}

/** A session as Agentao would have kept it, in pieces. */
export function* toAgentaoFile({ session, messages }: SessionRecord): Generator<string> {
  const head = {
    session_id: session.sessionId,
    title: session.title ?? '',
    created_at: new Date(session.createdAt).toISOString(),
    updated_at: new Date(session.updatedAt).toISOString(),
    model: session.model ?? '',
    active_skills: [],
  }
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "messages": [`
  let separator = '\n'
  for (const message of messages) {
    yield `${separator}${JSON.stringify(toAgentaoMessage(message), null, 2).replaceAll(/^/gm, '    ')}`
    separator = ',\n'
  }
  yield `${messages.length === 0 ? '' : '\n  '}]\n}\n`
}

function toAgentaoMessage({ role, toolCallId, content: said }: Message): object {
  const text = typeof said === 'string' ? said : said.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
  if (role === 'tool') return { role, tool_call_id: toolCallId ?? '', content: text }
  if (role !== 'assistant' || typeof said === 'string') return { role, content: text }
  const thinking = said.map((piece) => (piece.type === 'thinking' ? piece.text : '')).join('')
  const calls = said.flatMap((piece) =>
    piece.type === 'tool-call'
      ? [
          {
            id: piece.toolCallId,
            type: 'function',
            function: { name: piece.name, arguments: JSON.stringify(piece.input) },
          },
        ]
      : [],
  )
  return {
    role,
    content: text,
    ...(thinking !== '' && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}
