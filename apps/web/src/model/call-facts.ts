/** What a tool call is about, read from the shape of its input: the wire says no kind, and names are the tool's own. */
import type { ToolCallProjection } from '@polylogue/client/blade'
import { isObject, type JsonObject } from './http.ts'

export type CallKind = 'command' | 'edit' | 'file' | 'search' | 'web' | 'plan' | 'question' | 'agent' | 'other'

export interface FileChange {
  readonly path: string
  readonly oldText: string
  readonly newText: string
}

export interface CallFacts {
  readonly kind: CallKind
  readonly input: JsonObject
  /** The most telling part of the input, on one line. */
  readonly summary: string
  readonly command?: string
  readonly change?: FileChange
}

const APPROVAL_PREFIX = 'ask_'

/** Blade shows an approval as a question of its own beside the call that it is about. */
export const isApprovalOf = (call: ToolCallProjection): string | undefined =>
  call.id.startsWith(APPROVAL_PREFIX) ? call.id.slice(APPROVAL_PREFIX.length) : undefined

export function readCall(call: Pick<ToolCallProjection, 'arguments'>): CallFacts {
  return factsOf(parseInput(call.arguments))
}

export function factsOf(input: JsonObject): CallFacts {
  const text = (name: string): string | undefined => {
    const value = input[name]
    return typeof value === 'string' ? value : undefined
  }
  const command = text('command')
  if (command !== undefined) return { kind: 'command', input, command, summary: text('description') ?? command }
  const path = text('path') ?? text('file_path')
  const oldText = text('oldText') ?? text('old_string')
  const newText = text('newText') ?? text('new_string') ?? text('content')
  if (path !== undefined && newText !== undefined) {
    return { kind: 'edit', input, summary: path, change: { path, oldText: oldText ?? '', newText } }
  }
  const pattern = text('pattern')
  if (pattern !== undefined) return { kind: 'search', input, summary: pattern }
  if (path !== undefined) return { kind: 'file', input, summary: path }
  const url = text('url')
  if (url !== undefined) return { kind: 'web', input, summary: url }
  if (Array.isArray(input['todos'])) return { kind: 'plan', input, summary: '' }
  if (Array.isArray(input['questions'])) return { kind: 'question', input, summary: firstQuestion(input['questions']) }
  const prompt = text('prompt')
  if (prompt !== undefined) return { kind: 'agent', input, summary: text('description') ?? prompt }
  const first = Object.values(input).find((value) => typeof value === 'string' || typeof value === 'number')
  return { kind: 'other', input, summary: first === undefined ? '' : String(first) }
}

function firstQuestion(questions: readonly unknown[]): string {
  const [first] = questions
  return isObject(first) && typeof first['question'] === 'string' ? first['question'] : ''
}

function parseInput(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : { input: value }
  } catch {
    return { input: text }
  }
}

/** What the model reads of a result, as text. */
export function resultText(result: unknown): string {
  if (result === null || result === undefined) return ''
  if (typeof result === 'string') return result
  if (Array.isArray(result)) {
    return result
      .map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
      .join('')
  }
  if (isObject(result) && typeof result['output'] === 'string') return result['output']
  return JSON.stringify(result, undefined, 2)
}
