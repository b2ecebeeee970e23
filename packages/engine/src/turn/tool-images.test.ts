import { describe, expect, it } from 'vitest'
import { calls, createFakeTool, finishes, restart, says, startSession, testDigest } from '@polylogue/testkit'
import { textOf, type ToolOutput } from '../index.ts'

const bytes = new Uint8Array([137, 80, 78, 71])
const hash = testDigest(bytes)
const image = { type: 'image', source: { type: 'blob', hash, mediaType: 'image/png' } } as const

async function startWith(output: ToolOutput) {
  const camera = createFakeTool('camera', { run: () => output })
  const test = await startSession({ tools: [camera] })
  test.model.push([calls('a', 'camera'), finishes('tool-calls')], [says('I see'), finishes()])
  await test.say('look')
  await test.untilRest()
  return { ...test, camera }
}

describe('an image that a tool returns', () => {
  it('is stored with the result and given to the model, also after a restart', async () => {
    const content = [{ type: 'text' as const, text: 'one pixel' }, image]
    const test = await startWith({ content, blobs: [{ hash, mediaType: 'image/png', bytes }] })
    expect((await test.events()).find(({ type }) => type === 'tool-call.settled')).toMatchObject({
      status: 'completed',
      output: content,
    })
    expect(JSON.stringify(await test.events())).not.toContain('blobs')
    const second = await restart(test, { tools: [test.camera] })
    await second.say('again')
    await second.untilRest()
    const request = second.model.requests.at(-1)
    expect(request?.messages.find(({ role }) => role === 'tool')?.content).toEqual(content)
    expect(await request?.readBlob(hash)).toEqual(bytes)
    expect(await second.engine.readBlob(second.user, second.sessionId, { hash })).toMatchObject({
      mediaType: 'image/png',
    })
  })

  it('fails its call when its bytes are missing, and the session continues', async () => {
    const test = await startWith({ content: [image] })
    const settled = (await test.events()).flatMap((event) => (event.type === 'tool-call.settled' ? [event] : []))
    expect(settled).toMatchObject([{ status: 'failed' }])
    expect(settled.map(({ output }) => textOf(output))).toEqual(['Error: camera returned an image without its bytes'])
    expect((await test.events()).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })
})
