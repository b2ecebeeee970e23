import { type ImagePart, type ModelMessage, asToolCallId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createSetUp, requestOf, weather } from './test-support/ask.ts'
import { json, type FakeAnswer } from './test-support/wire.ts'
import { WIRES } from './test-support/wires.ts'

const setUp = createSetUp(createFakeClock)
const HELLO: FakeAnswer = { blocks: [{ type: 'text', pieces: ['Hello'] }], finish: 'stop' }
const PIXEL = 'iVBORw0KGgo='
const readBlob = (hash: string): Promise<Uint8Array> =>
  hash === 'lost' ? Promise.reject(new Error('gone')) : Promise.resolve(Buffer.from(PIXEL, 'base64'))

const blob = (hash = 'h1'): ImagePart => ({ type: 'image', source: { type: 'blob', hash, mediaType: 'image/png' } })
const link = (url: string): ImagePart => ({ type: 'image', source: { type: 'url', url } })
const asks = (...images: ImagePart[]): ModelMessage => ({
  role: 'user',
  content: [{ type: 'text', text: 'What is it?' }, ...images],
})
const photographed = (...images: ImagePart[]): readonly ModelMessage[] => [
  { role: 'user', content: 'look' },
  {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: asToolCallId('c1'), name: 'camera', input: {} },
      { type: 'tool-call', toolCallId: asToolCallId('c2'), name: 'camera', input: {} },
    ],
  },
  {
    role: 'tool',
    toolCallId: asToolCallId('c1'),
    name: 'camera',
    content: [{ type: 'text', text: 'shot' }, ...images],
    isError: false,
  },
  { role: 'tool', toolCallId: asToolCallId('c2'), name: 'camera', content: 'no film', isError: true },
]

describe.each(WIRES)('a model of kind $kind', (wire) => {
  const isLocal = wire.kind === 'openai-compatible'

  it('is shown images that were uploaded', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(HELLO) })
    await setup.ask(requestOf([asks(blob())], { readBlob }))
    expect(wire.readHistory(setup.provider.requests[0]?.body)).toEqual(['user: What is it?', `user: image ${PIXEL}`])
  })

  it('gets a note about a lost image', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(HELLO) })
    await setup.ask(requestOf([asks(blob('lost'))], { readBlob }))
    expect(wire.readHistory(setup.provider.requests[0]?.body)[1]).toBe(
      'user: [An image was left out: it could not be read.]',
    )
  })

  it('is given links only if the provider follows them, and never plain ones', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(HELLO) })
    await setup.ask(
      requestOf([asks(link('https://a.example/b.PNG'), link('http://a.example/b.png'), link('nonsense'))]),
    )
    const [, secure, ...others] = wire.readHistory(setup.provider.requests[0]?.body)
    const leftOut = 'user: [An image was left out: this model does not follow such links.]'
    expect(secure).toBe(isLocal ? leftOut : 'user: image https://a.example/b.PNG')
    expect(others).toEqual([leftOut, leftOut])
  })

  it('is shown images that a tool returned', async () => {
    await using setup = await setUp(wire)
    setup.provider.push({ chunks: wire.answer(HELLO) })
    await setup.ask(requestOf(photographed(blob()), { readBlob, tools: [{ ...weather, name: 'camera' }] }))
    expect(wire.readHistory(setup.provider.requests[0]?.body).slice(3)).toEqual(
      isLocal
        ? ['result c1: shot', 'result c2: no film', 'user: The tool camera returned:', `user: image ${PIXEL}`]
        : [`result c1: shot image ${PIXEL}`, 'error c2: no film'],
    )
  })

  it('is asked again without images when the provider does not take them', async () => {
    await using setup = await setUp(wire)
    setup.provider.push(wire.refuses('This model does not support image input'), { chunks: wire.answer(HELLO) })
    const outputs = await setup.ask(requestOf([asks(blob())], { readBlob }))
    expect(outputs.at(-1)).toMatchObject({ type: 'finished' })
    expect(setup.pauses).toEqual([])
    expect(wire.readHistory(setup.provider.requests[1]?.body)).toEqual([
      'user: What is it?',
      'user: [An image was left out: this model does not see images.]',
    ])
  })

  it('is shown none when it is configured so', async () => {
    await using setup = await setUp(wire, { images: false })
    setup.provider.push({ chunks: wire.answer(HELLO) })
    await setup.ask(requestOf([asks(blob())], { readBlob }))
    expect(wire.readHistory(setup.provider.requests[0]?.body).join()).toContain('does not see images')
  })

  it('fails after a refusal that has nothing to do with images', async () => {
    await using setup = await setUp(wire)
    setup.provider.push(wire.refuses('This model does not support image input'))
    expect(await setup.ask('no image here')).toMatchObject([
      { type: 'failed', error: { code: 'model-refused-request' } },
    ])
  })

  it('is asked without tools from then on when it does not take them', async () => {
    await using setup = await setUp(wire)
    const message = 'registry.ollama.ai/library/gemma:2b does not support tools'
    setup.provider.push(
      json(400, { error: { message } }),
      { chunks: wire.answer(HELLO) },
      { chunks: wire.answer(HELLO) },
    )
    await setup.ask(requestOf('hi', { tools: [weather] }))
    await setup.ask(requestOf('hi', { tools: [weather] }))
    expect(setup.provider.requests.map(({ body }) => JSON.stringify(body).includes('"weather"'))).toEqual([
      true,
      false,
      false,
    ])
  })
})
