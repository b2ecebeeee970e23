// What a call would do, for somebody who decides about it at a terminal: nothing left out, nothing that steers it.
import { z } from 'zod'
import { toTerminalLine } from './terminal-text.ts'
import type { SubAgent, WaitingCall } from './waiting-calls.ts'

const command = z.looseObject({ command: z.string() })
const writing = z.looseObject({ path: z.string(), content: z.string() })
const editing = z.looseObject({ path: z.string(), oldText: z.string(), newText: z.string() })

/** One terminal line each. */
export function formatWhatRuns({ name, input, isNewFile }: WaitingCall): readonly string[] {
  if (name === 'Bash') {
    const parsed = command.safeParse(input)
    if (parsed.success) {
      const { command: text, ...rest } = parsed.data
      return [...linesOf(text, '$ ', '  '), ...formatRest(rest)]
    }
  }
  if (name === 'Write') {
    const parsed = writing.safeParse(input)
    if (parsed.success) {
      const { path, content, ...rest } = parsed.data
      const state = isNewFile === undefined ? '' : isNewFile ? ' (a new file)' : ' (in place of what is there)'
      return [`${toTerminalLine(path)}${state}`, ...linesOf(content, '+ '), ...formatRest(rest)]
    }
  }
  if (name === 'Edit') {
    const parsed = editing.safeParse(input)
    if (parsed.success) {
      const { path, oldText, newText, ...rest } = parsed.data
      return [toTerminalLine(path), ...linesOf(oldText, '- '), ...linesOf(newText, '+ '), ...formatRest(rest)]
    }
  }
  return [toTerminalLine(JSON.stringify(input))]
}

export function formatOwner({ agent, description }: SubAgent): string {
  const about = description === '' ? agent : description
  return `A sub-agent (${toTerminalLine(about)})`
}

/** Why a call must wait, in words. */
export function describeReason(reason: string): string {
  if (reason.startsWith('mode-preset')) return 'The mode of this session asks before such a call.'
  if (reason.startsWith('not-trusted')) return 'The tools of this session were listed, and this one is not trusted.'
  if (reason.startsWith('user-rule')) return 'One of your rules says that you are to be asked.'
  if (reason === 'not-understood') return 'Not all of this command could be understood, so look closely.'
  return toTerminalLine(reason)
}

function linesOf(text: string, first: string, others = first): readonly string[] {
  const lines = text.split('\n')
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines.map((line, index) => `${index === 0 ? first : others}${toTerminalLine(line)}`)
}

function formatRest(rest: object): readonly string[] {
  return Object.keys(rest).length === 0 ? [] : [toTerminalLine(JSON.stringify(rest))]
}
