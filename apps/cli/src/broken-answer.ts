import type { StreamedUpdate } from '@polylogue/aap/client'

/**
 * Recognizes text that begins an interrupted step anew. A step whose answer is complete ends the turn or makes tool calls, so
 * text of one step right after text of another means that the first one broke off.
 */
export function createBreakWatch(): (streamed: StreamedUpdate) => boolean {
  let step: string | undefined
  return ({ update, block }) => {
    if (update === undefined) return false
    const isText = update.type === 'text' || update.type === 'thinking'
    const before = step
    step = isText ? block?.slice(0, block.indexOf('.')) : undefined
    return before !== undefined && step !== undefined && step !== before
  }
}
