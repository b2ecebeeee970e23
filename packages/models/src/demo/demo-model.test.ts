import { type Clock, type ModelMessage, type ModelOutput, type ModelRequest, asToolCallId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createDemoModel } from './demo-model.ts'

function requestFor(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: '',
    messages: [{ role: 'user', content: text }],
    tools: [],
    options: {},
    secretOptions: [],
    step: 0,
    purpose: 'answer',
    readBlob: () => Promise.reject(new Error('no blobs here')),
    ...more,
  }
}

/** Moves time on whenever the model waits for it, and notes how long it waits. */
async function answer(request: ModelRequest, pauses: number[] = []): Promise<ModelOutput[]> {
  const clock = createFakeClock()
  const noting: Clock = {
    ...clock,
    setTimer(ms, run) {
      pauses.push(ms)
      return clock.setTimer(ms, run)
    },
  }
  const stream = createDemoModel({ clock: noting })
    .stream(request, new AbortController().signal)
    [Symbol.asyncIterator]()
  const outputs: ModelOutput[] = []
  for (;;) {
    const next = stream.next()
    clock.advance(1000)
    const { done, value } = await next
    if (done) return outputs
    outputs.push(value)
  }
}

function textOf(outputs: readonly ModelOutput[]): string {
  return outputs.flatMap((output) => (output.type === 'text' ? [output.text] : [])).join('')
}

const tools = [{ name: 'dice', description: 'Rolls dice.', parameters: { type: 'object' } }]

describe('the demo model', () => {
  it('thinks, then streams its answer word by word, and finishes', async () => {
    const outputs = await answer(requestFor('Hello there'))
    const kinds = outputs.map(({ type }) => type)
    expect(kinds.filter((kind) => kind === 'thinking').length).toBeGreaterThan(3)
    expect(kinds.filter((kind) => kind === 'text').length).toBeGreaterThan(20)
    expect(kinds).toEqual([...kinds].sort((left, right) => ORDER.indexOf(left) - ORDER.indexOf(right)))
    expect(outputs.at(-1)).toMatchObject({ type: 'finished', finish: 'stop' })
  })

  it('lists the tools it was given', async () => {
    expect(textOf(await answer(requestFor('tools', { tools })))).toContain('- `dice`: Rolls dice.')
    expect(textOf(await answer(requestFor('tools')))).toContain('no tools in this session')
  })

  it.each([
    ['normal', 33],
    ['slow', 99],
    ['fast', 3.3],
  ])('speaks at the pace %s: a word in %d ms', async (pace, ms) => {
    const pauses: number[] = []
    const outputs = await answer(requestFor('hello', { options: { pace } }), pauses)
    expect(pauses.length).toBeGreaterThan(50)
    expect(pauses).toHaveLength(outputs.length - 1)
    for (const pause of pauses) expect(pause).toBeCloseTo(ms)
  })

  it.each(['5', '6', '说一段长的', '崩溃'])(
    'continues for half a minute where it is meant to be disturbed: %s',
    async (text) => {
      const pauses: number[] = []
      await answer(requestFor(text), pauses)
      const slow = pauses.filter((pause) => pause > 40)
      expect(slow.length).toBeGreaterThan(100)
      expect(pauses.slice(-slow.length)).toEqual(slow)
      expect(slow.reduce((sum, pause) => sum + pause, 0)).toBeCloseTo(28_000)
    },
  )

  it('calls a tool when asked to use it', async () => {
    const outputs = await answer(requestFor('use dice {"sides": 6}', { tools }))
    expect(outputs.filter(({ type }) => type === 'tool-call')).toMatchObject([{ name: 'dice', input: { sides: 6 } }])
    expect(outputs.at(-1)).toMatchObject({ finish: 'tool-calls' })
  })

  it('gives each of several calls an id of its own', async () => {
    const offered = [{ name: 'CurrentTime', description: '', parameters: {} }]
    const outputs = await answer(requestFor('4', { tools: offered }))
    const ids = outputs.flatMap((output) => (output.type === 'tool-call' ? [output.id] : []))
    expect(ids).toEqual(['demo_1', 'demo_1_2', 'demo_1_3'])
  })

  it.each([
    ['use knife', /no tool named `knife`/],
    ['use dice [6]', /must be a JSON object/],
    ['use dice {6', /must be a JSON object/],
  ])('explains what is wrong with: %s', async (text, expected) => {
    const outputs = await answer(requestFor(text, { tools }))
    expect(textOf(outputs)).toMatch(expected)
    expect(outputs.at(-1)).toMatchObject({ finish: 'stop' })
  })

  it('shows what tools answered, cut to a readable length', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', content: 'use dice' },
      { role: 'tool', toolCallId: asToolCallId('a'), name: 'dice', content: 'four', isError: false },
      { role: 'tool', toolCallId: asToolCallId('b'), name: 'long', content: 'x'.repeat(5000), isError: false },
    ]
    const text = textOf(await answer(requestFor('', { messages })))
    expect(text).toContain('`dice` answered: four\n`long` answered: x')
    expect(text.length).toBeLessThan(400)
  })

  it('sums a conversation up by what the user wrote', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'tools' },
    ]
    const outputs = await answer(requestFor('', { messages, purpose: 'summary' }))
    expect(textOf(outputs)).toBe('3 messages. The user wrote: hello / tools')
  })

  it('stops soon after an abort', async () => {
    const clock = createFakeClock()
    const abort = new AbortController()
    const outputs: ModelOutput[] = []
    for await (const output of createDemoModel({ clock }).stream(requestFor('help'), abort.signal)) {
      outputs.push(output)
      abort.abort()
    }
    expect(outputs).toHaveLength(1)
    expect(clock.pendingTimers()).toBe(0)
  })
})

const ORDER = ['thinking', 'text', 'tool-call', 'finished']
