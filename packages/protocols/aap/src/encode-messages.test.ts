import type { ConversationMessage } from '@polylogue/engine'
import { expect, it } from 'vitest'
import { encodeMessages } from './encode-messages.ts'

const opaque = { model: 'openai/gpt', value: { itemId: 'rs_1' } }
const encode = (...messages: ConversationMessage[]) => Array.fromAsync(encodeMessages(messages, async () => undefined))

it('shows no thinking that has data for the model only', async () => {
  const content = [
    { type: 'thinking', text: '', opaque },
    { type: 'text', text: 'hello' },
  ] as const
  expect(await encode({ role: 'assistant', content })).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
  ])
  expect(await encode({ role: 'assistant', content: content.slice(0, 1) })).toEqual([])
})

it('returns a seed unchanged, empty blocks included', async () => {
  const content = [{ type: 'thinking', text: '' }] as const
  expect(await encode({ role: 'assistant', content }, { role: 'assistant', content: [] })).toEqual([
    { role: 'assistant', content: [{ type: 'thinking', thinking: '' }] },
    { role: 'assistant', content: [] },
  ])
})
