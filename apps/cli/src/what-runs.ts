// Shows a call to the person who decides about it at a terminal: all of it, with hidden characters spelled out.
import { spellOutLine, type WaitingCall } from '@polylogue/console/client'
import { z } from 'zod'

export type ShownCall = Pick<WaitingCall, 'name' | 'input' | 'diffs'>

const command = z.looseObject({ command: z.string(), description: z.string().optional() })
const fetching = z.looseObject({ url: z.string() })
const reading = z.looseObject({ path: z.string() })
const searching = z.looseObject({ pattern: z.string() })
const writing = z.looseObject({ path: z.string(), content: z.string() })
const change = z.looseObject({ oldText: z.string(), newText: z.string() })
const editing = change.extend({ path: z.string() })
const sending = z.looseObject({ description: z.string(), prompt: z.string() })
const planning = z.looseObject({ todos: z.array(z.looseObject({ content: z.string(), status: z.string() })) })
const editingOften = z.looseObject({ path: z.string(), edits: z.array(change) })

/** One terminal line each. */
export function formatWhatRuns(call: ShownCall): readonly string[] {
  return formatKnown(call) ?? [spellOutLine(JSON.stringify(call.input))]
}

/** `undefined`: a tool without a form of its own, or an input that does not fit its form. */
function formatKnown({ name, input, diffs }: ShownCall): readonly string[] | undefined {
  switch (name) {
    case 'Bash': {
      const { command: text, description: why, ...rest } = command.safeParse(input).data ?? {}
      if (text === undefined) return undefined
      return [...linesOf(text, '$ ', '  '), ...(why === undefined ? [] : linesOf(why, '# ')), ...formatRest(rest)]
    }
    case 'Read': {
      const { path, ...rest } = reading.safeParse(input).data ?? {}
      return path === undefined ? undefined : [[spellOutLine(path), ...formatRest(rest)].join(' ')]
    }
    case 'Glob':
    case 'Grep': {
      const { pattern, ...rest } = searching.safeParse(input).data ?? {}
      return pattern === undefined ? undefined : [[spellOutLine(pattern), ...formatRest(rest)].join(' ')]
    }
    case 'WebFetch': {
      const { url, ...rest } = fetching.safeParse(input).data ?? {}
      return url === undefined ? undefined : [spellOutLine(url), ...formatRest(rest)]
    }
    case 'Write': {
      const { path, content, ...rest } = writing.safeParse(input).data ?? {}
      if (path === undefined || content === undefined) return undefined
      const [diff] = diffs
      const state = diff === undefined ? '' : diff.oldText === undefined ? ' (a new file)' : ' (replaces the file)'
      return [`${spellOutLine(path)}${state}`, ...linesOf(content, '+ '), ...formatRest(rest)]
    }
    case 'Edit': {
      const { path: one, ...only } = editing.safeParse(input).data ?? {}
      if (one !== undefined) return [spellOutLine(one), ...formatChange(only)]
      const { path, edits = [], ...rest } = editingOften.safeParse(input).data ?? {}
      return path === undefined ? undefined : [spellOutLine(path), ...edits.flatMap(formatChange), ...formatRest(rest)]
    }
    case 'Agent': {
      const { description: what, prompt, ...rest } = sending.safeParse(input).data ?? {}
      if (what === undefined || prompt === undefined) return undefined
      return [spellOutLine(what), ...linesOf(prompt, '  '), ...formatRest(rest)]
    }
    case 'TodoWrite': {
      const { todos } = planning.safeParse(input).data ?? {}
      if (todos === undefined) return undefined
      const open = todos.filter(({ status }) => status !== 'completed').length
      return [
        `${open} of ${todos.length} open`,
        ...todos.map((step) => `${markOf(step)} ${spellOutLine(step.content)}`),
      ]
    }
    default:
      return undefined
  }
}

/** The lines that change, without those at either end that stay. */
export function formatDiff({ oldText, newText }: ShownCall['diffs'][number]): readonly string[] {
  const before = oldText === undefined ? [] : textLines(oldText)
  const after = textLines(newText)
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const changed = (lines: readonly string[], mark: string): readonly string[] =>
    lines.slice(start, lines.length - end).map((line) => `${mark}${spellOutLine(line)}`)
  return [...changed(before, '- '), ...changed(after, '+ ')]
}

const markOf = ({ status }: { readonly status: string }): string =>
  status === 'completed' ? '[x]' : status === 'in_progress' ? '[>]' : '[ ]'

function formatChange({ oldText, newText, ...rest }: Partial<z.output<typeof change>>): readonly string[] {
  return [...linesOf(oldText ?? '', '- '), ...linesOf(newText ?? '', '+ '), ...formatRest(rest)]
}

function textLines(text: string): readonly string[] {
  const lines = text.split('\n')
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

function linesOf(text: string, first: string, others = first): readonly string[] {
  return textLines(text).map((line, index) => `${index === 0 ? first : others}${spellOutLine(line)}`)
}

function formatRest(rest: object): readonly string[] {
  return Object.keys(rest).length === 0 ? [] : [spellOutLine(JSON.stringify(rest))]
}
