import type { ToolCallContent } from '@agentclientprotocol/sdk'
import { spellOut, spellOutLine, type CallInspection, type JsonObject } from '@polylogue/engine'
import { textContent } from './tool-content.ts'

export interface InspectedCall {
  readonly name: string
  readonly input: JsonObject
  readonly inspection: Partial<CallInspection>
  /** The title of the tool, for a call without a title of its own. */
  readonly toolTitle?: string | undefined
}

/**
 * The title of a call. A command and an address are whole, on one line: an editor may show the first line only, and a
 * person approves all of it. Hidden characters are spelled out.
 */
export function titleOf({ name, input, inspection: { facts, preview }, toolTitle }: InspectedCall): string {
  const { command, url } = input
  if (facts?.type === 'shell' && typeof command === 'string') return spellOutLine(command)
  if (facts?.type === 'fetch' && typeof url === 'string') return `Fetch ${spellOutLine(url)}`
  return spellOutLine(preview?.title ?? toolTitle ?? name)
}

/** What the title leaves out, for the person who approves the call: nothing where a diff or the title shows it all. */
export function detailsOf({ input, inspection: { facts, preview } }: InspectedCall): ToolCallContent[] {
  const { command, url } = input
  if (facts?.type === 'shell' && typeof command === 'string') {
    return command.includes('\n') ? [codeBlock(spellOut(command))] : []
  }
  const isShown = facts?.type === 'fetch' && typeof url === 'string' && Object.keys(input).length === 1
  const hasDiff = (preview?.diffs ?? []).length > 0
  return isShown || hasDiff || Object.keys(input).length === 0
    ? []
    : [codeBlock(spellOut(JSON.stringify(input, null, 2)))]
}

/** A fence longer than any run of backticks inside cannot be closed from inside. */
function codeBlock(text: string): ToolCallContent {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return textContent(`${fence}\n${text}\n${fence}`)
}
