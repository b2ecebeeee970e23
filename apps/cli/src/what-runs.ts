// Shows a call to the person who decides about it at a terminal: all of it, with hidden characters spelled out.
import { spellOutLine, type WaitingCall } from '@polylogue/console/client'
import { z } from 'zod'

export type ShownCall = Pick<WaitingCall, 'name' | 'input' | 'diffs'>

const command = z.looseObject({ command: z.string() })
const fetching = z.looseObject({ url: z.string() })
const reading = z.looseObject({ path: z.string() })
const searching = z.looseObject({ pattern: z.string() })
const writing = z.looseObject({ path: z.string(), content: z.string() })
const change = z.looseObject({ oldText: z.string(), newText: z.string() })
const editing = change.extend({ path: z.string() })
const editingOften = z.looseObject({ path: z.string(), edits: z.array(change) })

/** One terminal line each. */
export function formatWhatRuns(call: ShownCall): readonly string[] {
  return formatKnown(call) ?? [spellOutLine(JSON.stringify(call.input))]
}

/** `undefined`: a tool without a form of its own, or an input that does not fit its form. */
function formatKnown({ name, input, diffs }: ShownCall): readonly string[] | undefined {
  switch (name) {
    case 'Bash': {
      const { command: text, ...rest } = command.safeParse(input).data ?? {}
      return text === undefined ? undefined : [...linesOf(text, '$ ', '  '), ...formatRest(rest)]
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
    default:
      return undefined
  }
}

function formatChange({ oldText, newText, ...rest }: Partial<z.output<typeof change>>): readonly string[] {
  return [...linesOf(oldText ?? '', '- '), ...linesOf(newText ?? '', '+ '), ...formatRest(rest)]
}

function linesOf(text: string, first: string, others = first): readonly string[] {
  const lines = text.split('\n')
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines.map((line, index) => `${index === 0 ? first : others}${spellOutLine(line)}`)
}

function formatRest(rest: object): readonly string[] {
  return Object.keys(rest).length === 0 ? [] : [spellOutLine(JSON.stringify(rest))]
}
