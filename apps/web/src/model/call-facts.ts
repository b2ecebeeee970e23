/** What a tool call is about, read from the shape of its input: the wire says no kind, and names are the tool's own. */
import type { ToolCallProjection } from '@polylogue/client/blade'
import { isObject, type JsonObject } from './http.ts'

export type CallKind = 'command' | 'edit' | 'file' | 'search' | 'web' | 'plan' | 'question' | 'agent' | 'other'

export interface FileChange {
  readonly path: string
  readonly oldText: string
  readonly newText: string
  /** The line of the file that both texts start at. Absent: not known. */
  readonly line?: number | undefined
}

export interface CallFacts {
  readonly kind: CallKind
  readonly input: JsonObject
  /** The most telling part of the input, on one line. */
  readonly summary: string
  readonly command?: string
  /** As the input tells them, without the place in the file. */
  readonly changes?: readonly FileChange[]
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
  if (path !== undefined) {
    const edits: readonly unknown[] = Array.isArray(input['edits']) ? input['edits'] : [input]
    const changes = edits.flatMap((edit) => changeOf(path, edit))
    if (changes.length > 0) return { kind: 'edit', input, summary: path, changes }
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

/** The range of lines that a call reads. `undefined` for the whole file. */
export function rangeOf({ offset, limit }: JsonObject): { readonly from: number; readonly to?: number } | undefined {
  if (typeof offset !== 'number' && typeof limit !== 'number') return undefined
  const from = typeof offset === 'number' ? Math.max(1, offset) : 1
  return typeof limit === 'number' ? { from, to: from + limit - 1 } : { from }
}

/** The server knows the places of a call's changes, or the first change is of the whole file. */
export const placed = (
  diffs: readonly { path: string; oldText?: string | undefined; newText: string; line?: number | undefined }[],
): readonly FileChange[] =>
  diffs.map(({ path, oldText = '', newText, line }, index) => ({
    path,
    oldText,
    newText,
    line: line ?? (index === 0 ? 1 : undefined),
  }))

/** Above it, lines in the middle that stay are counted as removed and added again. */
const MOST_COMPARED = 250_000

/** How many lines a change adds and removes. */
export function countLines({ oldText, newText }: FileChange): { readonly added: number; readonly removed: number } {
  const [before, after] = [linesOf(oldText), linesOf(newText)]
  const shortest = Math.min(before.length, after.length)
  let start = 0
  while (start < shortest && before[start] === after[start]) start++
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const kept = old.length * now.length > MOST_COMPARED ? 0 : countCommon(old, now)
  return { added: now.length - kept, removed: old.length - kept }
}

/** The length of the longest list of lines that both have, in this order. */
function countCommon(old: readonly string[], now: readonly string[]): number {
  let best = now.map(() => 0)
  for (const line of old) {
    const above = best
    best = []
    for (const [at, other] of now.entries()) {
      best[at] = line === other ? (above[at - 1] ?? 0) + 1 : Math.max(above[at] ?? 0, best[at - 1] ?? 0)
    }
  }
  return best.at(-1) ?? 0
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

function changeOf(path: string, edit: unknown): readonly FileChange[] {
  if (!isObject(edit)) return []
  const text = (...names: readonly string[]): string | undefined =>
    names.map((name) => edit[name]).find((value) => typeof value === 'string')
  const newText = text('newText', 'new_string')
  if (newText !== undefined) return [{ path, oldText: text('oldText', 'old_string') ?? '', newText }]
  const content = text('content')
  return content === undefined ? [] : [{ path, oldText: '', newText: content, line: 1 }]
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
