// The scripted model's language: one directive per line, `---` between the scripts of successive steps. Any other line, or a
// directive with invalid arguments, is text.
import type { StepFinish } from '@polylogue/engine'

export type Directive =
  | SpokenDirective
  | { readonly type: 'tokens'; readonly count: number }
  | { readonly type: 'call'; readonly id: string; readonly tool: string; readonly input: unknown }
  | { readonly type: 'stop'; readonly finish: StepFinish }
  | { readonly type: 'sleep'; readonly ms: number }
  | { readonly type: 'fail' | 'nostop' | 'overflow' }

/** Consecutive lines of one kind form one block; `breaks` line breaks join a line to the next. */
export type SpokenDirective =
  | { readonly type: 'text' | 'thinking'; readonly text: string; readonly breaks: number }
  | { readonly type: 'show'; readonly what: ShownPart; readonly breaks: number }

export type ShownPart = 'options' | 'tools' | 'messages' | 'system'

const FINISHES: ReadonlyMap<string, StepFinish> = new Map([
  ['end_turn', 'stop'],
  ['max_tokens', 'token-limit'],
  ['refusal', 'refused'],
])
const SHOWN_PARTS: ReadonlySet<string> = new Set(['options', 'tools', 'messages', 'system'] satisfies ShownPart[])

/** The directives of one step; `undefined` when the script has no section for it. */
export function parseSection(script: string, step: number): readonly Directive[] | undefined {
  const lines = sectionOf(script, step)
  return lines && joinLines(lines.map(parseLine))
}

function sectionOf(script: string, step: number): readonly string[] | undefined {
  const sections: string[][] = [[]]
  for (const line of script.split(/\r?\n/)) {
    if (line.trim() === '---') sections.push([])
    else sections.at(-1)?.push(line)
  }
  return sections[step]
}

function parseLine(line: string): Directive {
  const [, word = '', rest = ''] = /^(\S+)(?:\s(.*))?$/s.exec(line) ?? []
  return parseDirective(word, rest) ?? { type: 'text', text: line, breaks: 0 }
}

function parseDirective(word: string, rest: string): Directive | undefined {
  switch (word) {
    case 'say':
      return { type: 'text', text: rest, breaks: 0 }
    case 'think':
      return { type: 'thinking', text: rest, breaks: 0 }
    case 'show': {
      const what = rest.trim()
      return isShownPart(what) ? { type: 'show', what, breaks: 0 } : undefined
    }
    case 'call':
      return parseCall(rest)
    case 'stop': {
      const finish = FINISHES.get(rest.trim())
      return finish && { type: 'stop', finish }
    }
    case 'sleep': {
      const ms = parseCount(rest)
      return ms === undefined ? undefined : { type: 'sleep', ms }
    }
    case 'tokens': {
      const count = parseCount(rest)
      return count === undefined ? undefined : { type: 'tokens', count }
    }
    case 'fail':
    case 'nostop':
    case 'overflow':
      return rest.trim() === '' ? { type: word } : undefined
    default:
      return undefined
  }
}

/** Invalid JSON reaches the engine as text, as it would from a real model. */
function parseCall(rest: string): Directive | undefined {
  const [, id, tool, json = ''] = /^(\S+)\s+(\S+)(?:\s+(.*))?$/s.exec(rest.trim()) ?? []
  if (id === undefined || tool === undefined) return undefined
  return { type: 'call', id, tool, input: json === '' ? {} : parseJson(json) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Nine digits of milliseconds still fit a timer. */
function parseCount(text: string): number | undefined {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined
}

function isShownPart(text: string): text is ShownPart {
  return SHOWN_PARTS.has(text)
}

/**
 * Sets the line breaks between a spoken line and the next line of its block. Empty lines count only between two spoken
 * lines, so blank lines around directives are ignored. `tokens` ends with a space and gets no break.
 */
function joinLines(directives: readonly Directive[]): readonly Directive[] {
  const joined: Directive[] = []
  let last: { readonly index: number; readonly line: SpokenDirective } | undefined
  let breaks = 1
  for (const directive of directives) {
    if (isEmptyLine(directive)) {
      breaks++
      continue
    }
    if (last && kindOf(last.line) === kindOf(directive)) joined[last.index] = { ...last.line, breaks }
    if (!isSilent(directive)) {
      last = isSpoken(directive) ? { index: joined.length, line: directive } : undefined
      breaks = 1
    }
    joined.push(directive)
  }
  return joined
}

function kindOf(directive: Directive): 'text' | 'thinking' | undefined {
  if (directive.type === 'thinking') return 'thinking'
  return directive.type === 'text' || directive.type === 'show' || directive.type === 'tokens' ? 'text' : undefined
}

/** Adds nothing to the answer, so the block before it continues after it. */
function isSilent({ type }: Directive): boolean {
  return type === 'sleep' || type === 'stop' || type === 'nostop' || type === 'overflow'
}

function isSpoken(directive: Directive): directive is SpokenDirective {
  return directive.type === 'text' || directive.type === 'thinking' || directive.type === 'show'
}

function isEmptyLine(directive: Directive): boolean {
  return (directive.type === 'text' || directive.type === 'thinking') && directive.text.trim() === ''
}
