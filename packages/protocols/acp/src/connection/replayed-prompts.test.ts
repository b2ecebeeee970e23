import { createFakeParts, loadAcpFrameChecker } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const text = (words: string) => ({ type: 'text', text: words })
const file = {
  type: 'resource',
  resource: { uri: 'file:///w/a.ts', text: 'const a = 1\n\nconst b = "</resource>"\n', mimeType: 'text/x-typescript' },
}
const mention = { type: 'resource_link', uri: 'file:///w/b.ts', name: 'b.ts', title: 'The other', size: 12 }
const image = { type: 'image', data: PNG, mimeType: 'image/png', uri: 'file:///w/c.png' }
const embedded = { type: 'resource', resource: { uri: 'file:///w/d.png', blob: PNG, mimeType: 'image/png' } }

async function replay(
  prompt: readonly object[],
  profile: 'standard' | 'seed' = 'standard',
): Promise<readonly unknown[]> {
  const world = open()
  const { client, newSession } = await world.connect({ profile })
  const sessionId = await newSession()
  await client.result('session/prompt', { sessionId, prompt })
  await client.leave()
  const later = await world.connect({ profile })
  await later.client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
  return later.client
    .updates()
    .flatMap((update) => (update.sessionUpdate === 'user_message_chunk' ? [update.content] : []))
}

describe('a prompt in the replay', () => {
  it.each([
    ['text', [text('hello')]],
    ['texts', [text('one'), text('two\n\nthree')]],
    ['a file between words', [text('look at'), file, text('please')]],
    ['two files', [file, file]],
    ['a mention', [text('compare'), mention, text('with this')]],
    ['an image', [image]],
    ['an image between words', [text('what is'), image, text('?'), image]],
    ['an embedded image', [text('see'), embedded]],
    ['everything', [text('a'), file, image, mention, embedded, text('z')]],
  ])('acp finding 8: of %s equals what was sent', async (_name, prompt) => {
    expect(await replay(prompt)).toEqual(prompt)
  })

  it('names content that was not kept', async () => {
    const blob = Buffer.from('%PDF').toString('base64')
    const given = { type: 'resource', resource: { uri: 'file:///w/e.pdf', blob, mimeType: 'application/pdf' } }
    expect(await replay([text('read'), given])).toEqual([
      text('read'),
      { type: 'resource_link', uri: 'file:///w/e.pdf', name: 'file:///w/e.pdf', mimeType: 'application/pdf' },
    ])
  })

  it('leaves out the blocks that were added for the model', async () => {
    const added = text('<system-reminder>be good</system-reminder>')
    expect(await replay([added, text('hello <system-reminder>x</system-reminder>'), mention])).toEqual([
      text('hello'),
      mention,
    ])
  })

  it('is text in profile seed', async () => {
    expect(await replay([text('compare'), mention], 'seed')).toEqual([text('compare\n\n[The other](file:///w/b.ts)')])
  })

  it('shows images from another door', async () => {
    const world = open()
    const bytes = Buffer.from(PNG, 'base64')
    const { sessionId } = await world.engine.execute({
      type: 'create-session',
      userId: world.user,
      agent: 'tester',
      access: { type: 'preset' },
      directories: [world.cwd],
      input: [
        { type: 'text', text: 'what is this?' },
        { type: 'image', source: { type: 'blob', hash: 'h1', mediaType: 'image/png' } },
      ],
      blobs: [{ hash: 'h1', mediaType: 'image/png', bytes }],
    })
    const { client } = await world.connect()
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    const shown = client.updates().flatMap((one) => (one.sessionUpdate === 'user_message_chunk' ? [one.content] : []))
    expect(shown).toEqual([text('what is this?'), { type: 'image', data: PNG, mimeType: 'image/png' }])
  })
})

it('acp finding 10: base64 without padding is accepted', async () => {
  const unpadded = { ...image, data: PNG.replace(/=+$/, '') }
  expect(PNG.endsWith('==')).toBe(true)
  expect(await replay([unpadded])).toEqual([image])
})
