// Claude Code keeps a conversation in `~/.claude/projects/<folder>/<session>.jsonl`: one record a line. A message of the
// assistant is spread over several records that share its id. What has no counterpart here is counted by kind.
import { z } from 'zod'
import { parseAgentaoFile, type ImportedConversation } from './agentao-file.ts'

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
})
type Block = z.infer<typeof block>

const record = z.looseObject({
  type: z.string(),
  uuid: z.string().optional(),
  parentUuid: z.string().nullish(),
  isSidechain: z.boolean().optional(),
  isMeta: z.boolean().optional(),
  cwd: z.string().optional(),
  summary: z.string().optional(),
  message: z
    .looseObject({
      id: z.string().optional(),
      role: z.enum(['user', 'assistant']),
      content: z.union([z.string(), z.array(block)]),
    })
    .optional(),
})
type ClaudeRecord = z.infer<typeof record>

export interface ClaudeConversation extends ImportedConversation {
  /** Where it took place. */
  readonly directory?: string
  /** How many records or blocks of each kind had no counterpart. */
  readonly left: ReadonlyMap<string, number>
}

/** `undefined`: this is no such file. */
export function parseClaudeFile(text: string): ClaudeConversation | undefined {
  const left = new Map<string, number>()
  const leave = (kind: string, count = 1): void => {
    if (count > 0) left.set(kind, (left.get(kind) ?? 0) + count)
  }
  const records = readRecords(text, leave)
  const spoken = withoutEdited(records, leave).filter((found) => isSpoken(found, leave))
  if (spoken.length === 0) return undefined
  const conversation = parseAgentaoFile({ messages: toMessages(spoken, leave) })
  if (conversation === undefined) return undefined
  leave('calls or results that could not be read', conversation.skipped)
  const title = records.findLast(({ type, summary }) => type === 'summary' && summary !== undefined)?.summary
  const directory = records.find(({ cwd }) => cwd !== undefined)?.cwd
  return {
    messages: conversation.messages,
    skipped: conversation.skipped,
    left,
    ...(title !== undefined && title.trim() !== '' && { title: title.trim().slice(0, 200) }),
    ...(directory !== undefined && { directory }),
  }
}

type Leave = (kind: string, count?: number) => void

function readRecords(text: string, leave: Leave): readonly ClaudeRecord[] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '') return []
    const parsed = record.safeParse(parseJson(line))
    if (parsed.success) return [parsed.data]
    leave('lines that could not be read')
    return []
  })
}

/** A prompt that was sent again after a change leaves the first one, and the answer to it, in the file. */
function withoutEdited(records: readonly ClaudeRecord[], leave: Leave): readonly ClaudeRecord[] {
  const kept: ClaudeRecord[] = []
  /** The place of the prompt that follows a record. */
  const places = new Map<string, number>()
  for (const found of records) {
    const parent = isPrompt(found) ? found.parentUuid : undefined
    const before = parent ? places.get(parent) : undefined
    if (before !== undefined) {
      const replaced = kept.splice(before)
      for (const { parentUuid } of replaced) {
        if (parentUuid && (places.get(parentUuid) ?? -1) >= before) places.delete(parentUuid)
      }
      leave('records that an edited prompt replaced', replaced.length)
    }
    if (parent) places.set(parent, kept.length)
    kept.push(found)
  }
  return kept
}

const isPrompt = ({ type, message, isSidechain, isMeta }: ClaudeRecord): boolean =>
  type === 'user' &&
  isSidechain !== true &&
  isMeta !== true &&
  (typeof message?.content === 'string' || (message?.content ?? []).some((part) => part.type === 'text'))

function isSpoken({ type, message, isSidechain, isMeta }: ClaudeRecord, leave: Leave): boolean {
  if (isSidechain === true) leave('records of sub-agents')
  else if (type === 'summary') return false
  else if ((type !== 'user' && type !== 'assistant') || message === undefined) leave(`records of the type ${type}`)
  else if (isMeta === true) leave('notes of the program to the model')
  else return true
  return false
}

/** Messages as the API of OpenAI has them, which Agentao's files contain too. */
function toMessages(records: readonly ClaudeRecord[], leave: Leave): readonly object[] {
  // An answer is a list of blocks until its last record was read.
  const messages: (object | Block[])[] = []
  const answers = new Map<string, Block[]>()
  for (const { message } of records) {
    if (message === undefined) continue
    const { id, role, content } = message
    const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    const begun = id === undefined ? undefined : answers.get(id)
    if (role === 'user') messages.push(...toUserMessages(blocks, leave))
    else if (begun !== undefined) begun.push(...blocks)
    else {
      const answer = [...blocks]
      if (id !== undefined) answers.set(id, answer)
      messages.push(answer)
    }
  }
  return messages.map((message) => (Array.isArray(message) ? toAnswer(message, leave) : message))
}

function toUserMessages(blocks: readonly Block[], leave: Leave): readonly object[] {
  return blocks.flatMap((part): readonly object[] => {
    if (part.type === 'text') return [{ role: 'user', content: part.text ?? '' }]
    if (part.type === 'tool_result') {
      return [{ role: 'tool', tool_call_id: part.tool_use_id ?? '', content: textOf(part.content, leave) }]
    }
    leave(part.type === 'image' ? 'images' : `blocks of the type ${part.type}`)
    return []
  })
}

function toAnswer(blocks: readonly Block[], leave: Leave): object {
  const known = new Set(['text', 'thinking', 'tool_use'])
  for (const { type } of blocks) if (!known.has(type)) leave(`blocks of the type ${type}`)
  const join = (pick: (part: Block) => string | undefined): string =>
    blocks.flatMap((part) => pick(part) ?? []).join('\n')
  return {
    role: 'assistant',
    content: join(({ type, text }) => (type === 'text' ? text : undefined)),
    reasoning_content: join(({ type, thinking }) => (type === 'thinking' && thinking !== '' ? thinking : undefined)),
    tool_calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id, function: { name, arguments: toJson(input) } })),
  }
}

function textOf(content: unknown, leave: Leave): string {
  if (typeof content === 'string') return content
  const blocks = z.array(block).safeParse(content).data ?? []
  const others = blocks.filter(({ type }) => type !== 'text').length
  leave('images and other blocks in results', others)
  return blocks.flatMap(({ text }) => text ?? []).join('\n')
}

/** Nothing for a value that is nested too deeply to be written: the call then counts as one that could not be read. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value ?? {})
  } catch {
    return ''
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
