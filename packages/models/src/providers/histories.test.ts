import { type AssistantPart, type ModelMessage, asToolCallId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { historyAfter, joined, requestOf, createSetUp, toBlocks, toolResult, weather } from './test-support/ask.ts'
import { anthropicWire } from './test-support/anthropic-wire.ts'
import { chatWire } from './test-support/chat-wire.ts'
import { googleWire } from './test-support/google-wire.ts'
import { openaiWire } from './test-support/openai-wire.ts'
import type { FakeAnswer } from './test-support/wire.ts'
import { WIRES } from './test-support/wires.ts'

const setUp = createSetUp(createFakeClock)

const HELLO: FakeAnswer = { blocks: [{ type: 'text', pieces: ['Hello'] }], finish: 'stop' }
const STEP: FakeAnswer = {
  blocks: [
    { type: 'thinking', pieces: ['It may rain.'], signature: 'sig-t' },
    { type: 'text', pieces: ['Let me look.'] },
    { type: 'call', id: 'call_1', name: 'weather', pieces: ['{"city":"Oslo"}'], signature: 'sig-a' },
    { type: 'call', id: 'call_2', name: 'weather', pieces: ['{"city":"Rome"}'] },
  ],
  finish: 'calls',
}
const tools = [weather]
const pairs = WIRES.flatMap((from) =>
  WIRES.filter((to) => to !== from).map((to) => ({ from, to, pair: `${from.kind} to ${to.kind}` })),
)

const call = (id: string, name = 'weather'): AssistantPart => ({
  type: 'tool-call',
  toolCallId: asToolCallId(id),
  name,
  input: { city: 'Oslo' },
})
const user = (content: string): ModelMessage => ({ role: 'user', content })
const assistant = (...content: AssistantPart[]): ModelMessage => ({ role: 'assistant', content })

describe('a session', () => {
  it.each(pairs)('continues in the middle of a turn after a switch from $pair', async ({ from, to }) => {
    await using first = await setUp(from)
    await using second = await setUp(to, {}, { thinking: 'medium' })
    first.provider.push({ chunks: from.answer(STEP) })
    const outputs = joined(await first.ask(requestOf('weather?', { tools })))
    second.provider.push({ chunks: to.answer(HELLO) })
    const answer = await second.ask(requestOf(historyAfter(outputs, first.model.modelName), { tools }))
    expect(answer.at(-1)).toMatchObject({ type: 'finished', finish: 'stop' })
    expect(to.readHistory(second.provider.requests[0]?.body)).toEqual([
      'user: weather?',
      'assistant: Let me look.',
      'call call_1: weather {"city":"Oslo"}',
      'call call_2: weather {"city":"Rome"}',
      'result call_1: dry',
      to.kind === 'openai-compatible' ? 'result call_2: no such city' : 'error call_2: no such city',
    ])
  })

  it.each(WIRES)('keeps the thinking of one model from another of the same provider, $kind', async (wire) => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(STEP) }, { chunks: wire.answer(HELLO) })
    const outputs = joined(await setup.ask(requestOf('weather?', { tools })))
    const retagged = JSON.stringify(outputs).replaceAll(`"${setup.model.modelName}"`, '"test/another"')
    await setup.ask(requestOf(historyAfter(JSON.parse(retagged), 'test/another'), { tools }))
    const { body } = setup.provider.requests[1] ?? {}
    expect(wire.readHistory(body).filter((line) => line.startsWith('thinking'))).toEqual([])
    expect(JSON.stringify(body)).not.toContain('sig-')
    expect(wire.readHistory(body)).toContain('call call_1: weather {"city":"Oslo"}')
  })

  it.each(WIRES)('gives a model of kind $kind back what it thought before another one spoke', async (wire) => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(STEP) }, { chunks: wire.answer(HELLO) })
    const outputs = joined(await setup.ask(requestOf('weather?', { tools })))
    const foreign: AssistantPart = {
      type: 'thinking',
      text: 'Hm.',
      opaque: { model: 'other/model', value: { own: { anthropic: { signature: 'x' } } } },
    }
    const history = [
      ...historyAfter(outputs, setup.model.modelName),
      assistant(foreign, { type: 'text', text: 'Dry.' }),
      user('thanks'),
    ]
    await setup.ask(requestOf(history, { tools }))
    const sent = wire.readHistory(setup.provider.requests[1]?.body)
    expect(sent.filter((line) => line.startsWith('thinking'))).toEqual(
      wire.kind === 'openai-compatible' ? [] : ['thinking: It may rain. [sig-t]'],
    )
    expect(sent.slice(-2)).toEqual(['assistant: Dry.', 'user: thanks'])
  })

  it.each(WIRES)('is taken by a model of kind $kind whatever is odd about it', async (wire) => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(HELLO) })
    await setup.ask(
      requestOf(
        [
          { role: 'assistant', content: 'Welcome!' },
          user('one'),
          {
            role: 'user',
            content: [
              { type: 'text', text: '' },
              { type: 'text', text: 'two' },
            ],
          },
          assistant({ type: 'text', text: ' \n' }, { type: 'thinking', text: 'dropped' }),
          user('   '),
          assistant(call('id with spaces'), call('x'.repeat(80), 'files.read')),
          toolResult('id with spaces', 'weather', ''),
          toolResult('x'.repeat(80), 'files.read', 'cut \ud83d here'),
          user('three'),
          assistant(
            { type: 'text', text: 'Said.' },
            { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
          ),
          { role: 'user', content: [] },
        ],
        { tools: [{ ...weather, name: 'files.read' }], system: ' ' },
      ),
    )
    const sent = wire
      .readHistory(setup.provider.requests[0]?.body)
      .map((line) => line.replace(/call_[0-9a-f]{32}/, 'ID'))
    const text = sent.join('\n')
    expect(text).toContain(
      'user: (the conversation begins)\nassistant: Welcome!\nuser: one\nuser: two\nuser: (an empty message)',
    )
    expect(text).toContain(
      'call ID: weather {"city":"Oslo"}\ncall ID: files_read {"city":"Oslo"}\nresult ID: (no output)',
    )
    expect(text).toContain('result ID: cut \ufffd here\nuser: three')
    expect(sent.at(-1)).toBe('user: (an empty message)')
    expect(text).not.toContain('dropped')
  })

  it.each(WIRES)(
    'keeps a message that was stopped apart from the next one, for a model of kind $kind',
    async (wire) => {
      await using setup = await setUp(wire)
      setup.provider.push({ chunks: wire.answer(HELLO) })
      await setup.ask(requestOf([user('delete it'), { role: 'user', content: 'what is it?', isAfterStop: true }]))
      const sent = wire.readHistory(setup.provider.requests[0]?.body)
      expect(sent).toEqual([
        'user: delete it',
        'user: [I stopped you before you had finished. Do not go on with that, unless I ask for it.]',
        'user: what is it?',
      ])
    },
  )

  it.each(WIRES)('can be summed up by a model of kind $kind after its own answer', async (wire) => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(HELLO) }, { chunks: wire.answer(HELLO) })
    await setup.ask(requestOf([user('one'), assistant({ type: 'text', text: 'two' })], { purpose: 'summary' }))
    await setup.ask(requestOf([]))
    expect(setup.provider.requests.map(({ body }) => wire.readHistory(body).at(-1))).toEqual([
      'user: Write the summary now.',
      'user: Go on.',
    ])
  })
})

describe('thinking without text', () => {
  const silent: FakeAnswer = {
    blocks: [
      { type: 'thinking', pieces: [], signature: 'red-1' },
      { type: 'thinking', pieces: ['Hm.'], signature: 'sig-2' },
      { type: 'thinking', pieces: [], signature: 'red-3' },
      { type: 'thinking', pieces: [], signature: 'red-4' },
      { type: 'call', id: 'call_1', name: 'weather', pieces: ['{}'] },
      { type: 'thinking', pieces: [], signature: 'red-5' },
      { type: 'call', id: 'call_2', name: 'weather', pieces: ['{}'] },
    ],
    finish: 'calls',
  }

  it.each([anthropicWire, openaiWire])('goes back to a model of kind $kind, each piece in its place', async (wire) => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(silent) }, { chunks: wire.answer(HELLO) })
    const outputs = await setup.ask(requestOf('weather?', { tools }))
    await setup.ask(requestOf(historyAfter(outputs, setup.model.modelName), { tools }))
    expect(wire.readHistory(setup.provider.requests[1]?.body).slice(1, 8)).toEqual([
      'thinking: [red-1]',
      'thinking: Hm. [sig-2]',
      'thinking: [red-3]',
      'thinking: [red-4]',
      'call call_1: weather {}',
      'thinking: [red-5]',
      'call call_2: weather {}',
    ])
  })

  it('leaves at most one block without text behind in the log', async () => {
    await using setup = await setUp(anthropicWire)
    setup.provider.push({ chunks: anthropicWire.answer(silent) })
    const blocks = toBlocks(await setup.ask(requestOf('weather?', { tools })))
    expect(blocks.map((block) => (block.type === 'tool-call' ? 'call' : `${block.type} ${block.text}`))).toEqual([
      'thinking ',
      'thinking Hm.',
      'call',
      'call',
    ])
  })

  it('that OpenAI sent without its encrypted form is not sent back', async () => {
    await using setup = await setUp(openaiWire)
    const blocks = STEP.blocks.map((block) => (block.type === 'thinking' ? { ...block, signature: undefined } : block))
    setup.provider.push({ chunks: openaiWire.answer({ ...STEP, blocks }) }, { chunks: openaiWire.answer(HELLO) })
    const outputs = await setup.ask(requestOf('weather?', { tools }))
    await setup.ask(requestOf(historyAfter(outputs, setup.model.modelName), { tools }))
    expect(openaiWire.readHistory(setup.provider.requests[1]?.body).join()).not.toContain('thinking')
  })

  it('at the end of an answer is left out', async () => {
    await using setup = await setUp(anthropicWire)
    setup.provider.push({ chunks: anthropicWire.answer(HELLO) })
    const opaque = { model: setup.model.modelName, value: { own: { anthropic: { signature: 's' } } } }
    const thinking: AssistantPart = { type: 'thinking', text: 'Cut short', opaque }
    await setup.ask(
      requestOf([
        user('one'),
        assistant({ type: 'text', text: 'two' }, thinking),
        user('three'),
        assistant(thinking),
        user('four'),
      ]),
    )
    expect(anthropicWire.readHistory(setup.provider.requests[0]?.body)).toEqual([
      'user: one',
      'assistant: two',
      'user: three',
      'user: four',
    ])
  })
})

describe('a request', () => {
  it('asks Anthropic to cache the stable part, and to think as configured', async () => {
    await using setup = await setUp(anthropicWire, { thinking: 'high', maxOutputTokens: 30_000 })
    setup.provider.push({ chunks: anthropicWire.answer(HELLO) })
    await setup.ask(requestOf('hi', { tools }))
    const cache_control = { type: 'ephemeral' }
    expect(setup.provider.requests[0]?.body).toMatchObject({
      model: 'claude-sonnet-4-5',
      thinking: { type: 'enabled' },
      system: [{ type: 'text', text: 'Be brief.', cache_control }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control }] }],
    })
  })

  it('offers Anthropic tools in the form that all compatible servers accept', async () => {
    await using setup = await setUp(anthropicWire)
    setup.provider.push({ chunks: anthropicWire.answer(HELLO) })
    await setup.ask(requestOf('hi', { tools }))
    expect(setup.provider.requests[0]?.body).toHaveProperty('tools', [
      { name: 'weather', description: 'Tells the weather', input_schema: weather.parameters },
    ])
  })

  it('has OpenAI store nothing, and think as configured', async () => {
    await using setup = await setUp(openaiWire, { thinking: 'low' })
    setup.provider.push({ chunks: openaiWire.answer(HELLO) })
    await setup.ask(requestOf('hi', { tools }))
    expect(setup.provider.requests[0]?.body).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low' },
      tools: [{ type: 'function', name: 'weather', parameters: weather.parameters, strict: false }],
    })
  })

  it('asks Google for its thoughts when it is to think', async () => {
    await using setup = await setUp(googleWire, { thinking: 'high' })
    setup.provider.push({ chunks: googleWire.answer(HELLO) })
    await setup.ask(requestOf('hi', { tools }))
    expect(setup.provider.requests[0]?.body).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    })
  })

  it('asks an OpenAI-compatible server to count the tokens', async () => {
    await using setup = await setUp(chatWire, { thinking: 'low' })
    setup.provider.push({ chunks: chatWire.answer(HELLO) })
    await setup.ask(requestOf('hi', { tools }))
    expect(setup.provider.requests[0]?.body).toMatchObject({
      stream_options: { include_usage: true },
      reasoning_effort: 'low',
    })
  })
})
