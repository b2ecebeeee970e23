import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { chunk, type ChunkKind } from '../projection/chunk.ts'
import { MessageBreaks } from './message-breaks.ts'

/** What an editor shows that joins chunks of one kind until something else comes. */
function shown(...updates: readonly (SessionUpdate | 'prompt')[]): string {
  const breaks = new MessageBreaks()
  let last = ''
  return updates
    .map((update) => {
      if (update === 'prompt') {
        breaks.prompted()
        last = ''
        return '|'
      }
      const told = breaks.apply(update)
      const begin = told.sessionUpdate === last || last === '' ? '' : '|'
      if (told.sessionUpdate !== 'usage_update') last = told.sessionUpdate
      if ('content' in told && told.content && 'text' in told.content) return `${begin}${told.content.text}`
      return told.sessionUpdate === 'tool_call' ? `${begin}call` : ''
    })
    .join('')
}

const thought = (id: string, text: string) => chunk('agent_thought_chunk', id, text)
const message = (id: string, text: string) => chunk('agent_message_chunk', id, text)
const call: SessionUpdate = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Read' }
const usage: SessionUpdate = { sessionUpdate: 'usage_update', used: 1, size: 2 }

describe('messages of the same kind', () => {
  it.each<ChunkKind>(['agent_thought_chunk', 'agent_message_chunk'])('of %s are kept apart', (kind) => {
    expect(shown(chunk(kind, 'a', 'One'), usage, chunk(kind, 'b', 'Two'), chunk(kind, 'b', '.'))).toBe('One\n\nTwo.')
  })

  it('get no empty line where an editor begins anew by itself', () => {
    expect(shown(thought('a', 'hm'), message('b', 'yes'), call, message('c', 'done'))).toBe('hm|yes|call|done')
    expect(shown(message('a', 'yes'), 'prompt', message('b', 'no'))).toBe('yes|no')
    expect(shown(message('a', 'yes'), chunk('user_message_chunk', 'b', 'and?'), message('c', 'no'))).toBe('yes|and?|no')
  })
})
