import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createSetUp, joined } from './test-support/ask.ts'
import { WIRES } from './test-support/wires.ts'

const setUp = createSetUp(createFakeClock)

const MEBI = 1024 * 1024
const mebis = (count: number): readonly string[] => Array.from({ length: count }, () => 'x'.repeat(MEBI))

describe.each(WIRES)('an answer of a model of kind $kind', (wire) => {
  it('ends when its text and thinking together are too long, and keeps what was written', async () => {
    await using setup = await setUp(wire)
    const thinking = { type: 'thinking', pieces: mebis(2), signature: 'sig' } as const
    const chunks = wire.answer({ blocks: [thinking, { type: 'text', pieces: mebis(3) }], finish: 'stop' })
    setup.provider.push({ chunks, ending: 'hang' })
    const outputs = joined(await setup.ask('hi'))
    const lengths = outputs.map((output) => ('text' in output ? [output.type, output.text.length] : [output.type]))
    expect(lengths.filter(([type]) => type !== 'opaque')).toEqual([
      ['thinking', 2 * MEBI],
      ['text', 2 * MEBI],
      ['failed'],
    ])
    expect(outputs.at(-1)).toEqual({
      type: 'failed',
      error: { code: 'model-error', message: 'The model wrote more than an answer may have.' },
    })
    expect(setup.provider.requests).toHaveLength(1)
  })

  it('may be as long as a call', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer({ blocks: [{ type: 'text', pieces: mebis(4) }], finish: 'stop' }) })
    expect(joined(await setup.ask('hi'))).toEqual([
      { type: 'text', text: 'x'.repeat(4 * MEBI) },
      expect.objectContaining({ type: 'finished' }),
    ])
  })
})
