import type { ToolCallContent } from '@agentclientprotocol/sdk'
import { spellOut, spellOutLine, type CallInspection, type JsonObject } from '@polylogue/engine'
import { codeBlock } from './tool-content.ts'

export interface InspectedCall {
  readonly name: string
  readonly input: JsonObject
  readonly inspection: Partial<CallInspection>
  /** The tool's title, used when the call has none. */
  readonly toolTitle?: string | undefined
}

/**
 * The title of a call. Commands and URLs are complete and on one line: an editor may show only the first line, but a
 * person approves all of it. Invisible characters are escaped.
 */
export function titleOf({ name, input, inspection: { facts, preview }, toolTitle }: InspectedCall): string {
  const { command, url } = input
  if (facts?.type === 'shell' && typeof command === 'string') return spellOutLine(command)
  if (facts?.type === 'fetch' && typeof url === 'string') return `Fetch ${spellOutLine(url)}`
  return spellOutLine(preview?.title ?? toolTitle ?? name)
}

/** What the title omits, for the permission request. Empty when a diff or the title shows everything. */
export function detailsOf({ input, inspection: { facts, preview } }: InspectedCall): ToolCallContent[] {
  const { command, url } = input
  if (facts?.type === 'shell' && typeof command === 'string') {
    return command.includes('\n') ? [codeBlock(spellOut(command))] : []
  }
  const isShown = facts?.type === 'fetch' && typeof url === 'string' && Object.keys(input).length === 1
  const diffs = preview?.diffs ?? []
  // An editor shows the texts of a diff as they are, with what they hide.
  const isInDiff = diffs.length > 0 && diffs.every(({ newText }) => spellOut(newText) === newText)
  return isShown || isInDiff || Object.keys(input).length === 0
    ? []
    : [codeBlock(spellOut(JSON.stringify(input, null, 2)))]
}
