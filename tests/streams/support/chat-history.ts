import { z } from 'polylogue'

const call = z.object({ id: z.string().min(1), function: z.object({ name: z.string(), arguments: z.string() }) })
const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(z.looseObject({}))]) }),
  z.object({ role: z.literal('assistant'), content: z.string().nullish(), tool_calls: z.array(call).optional() }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
])
const request = z.object({ messages: z.array(message).min(1) })

export type ChatMessage = z.infer<typeof message>

export const parseChatRequest = (body: unknown): readonly ChatMessage[] => request.parse(body).messages

/**
 * Why a provider would refuse this history: a call without a result right after it, a result without its call, an id
 * that is used twice, arguments that are no JSON object, an empty message.
 */
export function findChatFault(messages: readonly ChatMessage[]): string | undefined {
  const used = new Set<string>()
  let due = new Set<string>()
  for (const [index, item] of messages.entries()) {
    if (item.role === 'tool') {
      if (!due.delete(item.tool_call_id)) return `message ${index} answers ${item.tool_call_id}, which is not due`
      continue
    }
    if (due.size > 0) return `message ${index} comes before the results of ${[...due].join(', ')}`
    if (item.role !== 'assistant') continue
    const calls = item.tool_calls ?? []
    if (calls.length === 0 && (item.content ?? '') === '') return `message ${index} of the assistant is empty`
    for (const { id, function: called } of calls) {
      if (used.has(id)) return `the id ${id} is used twice`
      if (!isObject(called.arguments)) return `the arguments of ${id} are no JSON object`
      used.add(id)
    }
    due = new Set(calls.map(({ id }) => id))
  }
  return due.size > 0 ? `the results of ${[...due].join(', ')} are missing` : undefined
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
