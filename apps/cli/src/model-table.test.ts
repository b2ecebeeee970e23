import type { ModelList } from '@polylogue/console/client'
import { expect, it } from 'vitest'
import { formatModels, modelNotes } from './model-table.ts'

const LIST: ModelList = {
  default: { name: 'a/big', reason: 'a/big, with the key from A_API_KEY.' },
  models: [
    {
      name: 'a/big',
      title: 'Big',
      provider: 'a',
      isDefault: true,
      window: 1_048_576,
      images: true,
      thinking: ['low', 'high'],
      price: { input: 2, output: 10, cachedInput: 0.2, currency: 'USD' },
    },
    { name: 'ollama/x', title: 'x', provider: 'ollama', isDefault: false },
    {
      name: 'b/eu',
      title: 'EU',
      provider: 'b',
      isDefault: false,
      window: 32_768,
      price: { input: 0.4, output: 2, currency: 'EUR' },
    },
  ],
  providers: [
    { name: 'a', title: 'A', isReady: true },
    { name: 'groq', title: 'Groq', isReady: false, need: 'Set GROQ_API_KEY.' },
  ],
  catalogue: { source: 'a list', date: '2026-11-02' },
}

it('shows limits and prices, and never a zero for what is unknown', () => {
  expect(formatModels(LIST.models)).toBe(
    [
      'MODEL            INPUT LIMIT  INPUT    CACHED  OUTPUT  ABILITIES',
      'a/big (default)  1.05M        $2       $0.2    $10     images, thinking',
      'ollama/x         ?            ?        ?       ?',
      'b/eu             33k          EUR 0.4  -       EUR 2',
      '',
    ].join('\n'),
  )
})

it('says why the default is the default, of which day the list is, and what other providers need', () => {
  expect(modelNotes(LIST)).toEqual([
    'Default: a/big, with the key from A_API_KEY.',
    'Prices per million tokens, from the list of 2026-11-02 unless the configuration has its own.',
    'Not ready:',
    '  groq: Set GROQ_API_KEY.',
  ])
})
