/** A card of a tool: HTML that is shown in a frame of its own, or the address of a page elsewhere. */
import type { ContentBlock } from '@polylogue/client/blade'
import { isObject } from './http.ts'

export interface Card {
  readonly callId: string
  readonly title?: string
  readonly target: 'inline' | 'preview'
  /** In pixels. */
  readonly height?: number
  /** Of a page elsewhere. Absent: our server has the HTML. */
  readonly uri?: string
}

export function cardOf({ type, content, tool_call_id: callId }: ContentBlock): Card | undefined {
  if (type !== 'tool_ui' || callId === null || !isObject(content)) return undefined
  const { title, target, height, resourceUri } = content
  return {
    callId,
    target: target === 'preview' ? 'preview' : 'inline',
    ...(typeof title === 'string' && title !== '' && { title }),
    ...(typeof height === 'number' && { height }),
    ...(typeof resourceUri === 'string' && { uri: resourceUri }),
  }
}
