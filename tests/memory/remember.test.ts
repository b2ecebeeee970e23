import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V1, V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { textOf } from '../support/played-turn.ts'
import { NEXT, call, script, shownToolNames } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type Mode, openToolSession } from '../tools/tool-session.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

interface MemoryJson {
  readonly id: number
  readonly content: string
  readonly sourceSession?: string
  readonly supersededBy?: number
}

async function memoriesOf(key: string): Promise<readonly MemoryJson[]> {
  const { body } = await exchangeJson<{ memories: readonly MemoryJson[] }>({
    method: 'GET',
    url: `${server.url}/api/polylogue/memory`,
    headers: { authorization: `Bearer ${key}` },
  })
  return body.memories
}

const TRUSTED = { tools: [{ name: 'Remember', trust: true }] }
const remember = (id: string, input: object) => script(call(id, 'Remember', { ...input }))

describe('Remember', () => {
  it.each([V3, V1])('stores a memory for the user of the session, over AAP $name', async (dialect) => {
    const key = await server.createKey(`anna-${dialect.name}`)
    const session = await openSession(server.client(dialect, key), TRUSTED)
    const { messages } = await session.turn(remember('m1', { content: 'We deploy on Tuesdays', topic: 'deploys' }))
    const [memory] = await memoriesOf(key)
    expect(memory).toMatchObject({
      content: 'We deploy on Tuesdays',
      type: 'feedback',
      topic: 'deploys',
      sourceSession: session.id,
      hitCount: 0,
      disabled: false,
    })
    expect(textOf(messages)).toContain(`RESULTS 1: Remembered as memory ${memory?.id}.`)
  })

  it('never touches what others remember', async () => {
    const [anna, ben] = await Promise.all([server.createKey('anna'), server.createKey('ben')])
    const hers = await openSession(server.client(V3, anna), TRUSTED)
    await hers.turn(remember('m1', { content: 'The password policy is monthly' }))
    const [{ id } = { id: 0 }] = await memoriesOf(anna)
    const his = await openSession(server.client(V3, ben), TRUSTED)
    const { messages } = await his.turn(remember('m2', { content: 'It is yearly', supersedes: id }))
    expect(textOf(messages)).toContain(`There is no memory ${id}.`)
    expect(await memoriesOf(ben)).toEqual([])
    await his.turn(remember('m3', { content: 'The password policy is monthly' }))
    expect(await memoriesOf(ben)).toHaveLength(1)
    expect(await memoriesOf(anna)).toMatchObject([{ id, content: 'The password policy is monthly' }])
    expect((await memoriesOf(anna))[0]?.supersededBy).toBeUndefined()
  })

  it('keeps a correction with the original, and identical words once', async () => {
    const key = await server.createKey('carl')
    const session = await openSession(server.client(V3, key), TRUSTED)
    await session.turn(remember('m1', { content: 'Tabs' }))
    const [{ id } = { id: 0 }] = await memoriesOf(key)
    const correct = { content: 'Spaces', supersedes: id }
    const { messages } = await session.turn(
      script(call('m2', 'Remember', correct), NEXT, call('m3', 'Remember', correct), NEXT, 'say done'),
    )
    expect(textOf(messages)).toContain('done')
    const [spaces, tabs, ...more] = await memoriesOf(key)
    expect([spaces, tabs, more]).toMatchObject([
      { content: 'Spaces' },
      { content: 'Tabs', supersededBy: spaces?.id },
      [],
    ])
  })

  it('asks first in a session whose client does not trust it', async () => {
    const key = await server.createKey('dora')
    const session = await openSession(server.client(V3, key), { tools: [{ name: 'Remember' }] })
    const { stopReason } = await session.turn(remember('m1', { content: 'Tea' }))
    expect([stopReason, await memoriesOf(key)]).toEqual(['tool_use', []])
    await session.turn([{ role: 'tool_permission', toolCallId: 'm1', granted: true }])
    expect(await memoriesOf(key)).toMatchObject([{ content: 'Tea' }])
  })
})

describe('a later session', () => {
  it.each([
    ['Deploys to production are on Tuesdays only', 'When may we deploy?', 'How is the weather in Rome?'],
    ['数据库密码每月更换一次', '多久更换密码?', '罗马的天气怎么样?'],
  ])('is given %j when asked %j and not when asked %j', async (content, question, unrelated) => {
    const [key, other] = await Promise.all([
      server.createKey(`ed-${content.length}`),
      server.createKey(`fay-${content.length}`),
    ])
    await (await openSession(server.client(V3, key), TRUSTED)).turn(remember('m1', { content }))
    const ask = async (text: string, asking = key): Promise<string> => {
      const session = await openSession(server.client(V3, asking))
      return textOf((await session.turn(script('show messages', NEXT, text))).messages)
    }
    expect(await ask(question)).toContain(content)
    expect(await ask(unrelated)).not.toContain(content)
    expect(await ask(question, other)).not.toContain(content)
    expect(await memoriesOf(key)).toMatchObject([{ hitCount: 1, lastHitAt: expect.any(Number) }])
  })
})

describe('the modes', () => {
  it.each<[Mode, readonly string[]]>([
    ['read-only', []],
    ['workspace-write', ['Remember', 'Skill']],
    ['full-access', ['Remember', 'Skill']],
    ['plan', ['Skill']],
  ])('%s offers %j', async (preset, offered) => {
    const session = await openToolSession(server, { preset })
    const { messages } = await session.turn('show tools')
    expect(shownToolNames(messages).filter((name) => /^(Remember|Skill)$/.test(name))).toEqual(offered)
  })

  it('run both without asking where they are offered', async () => {
    const session = await openToolSession(server, { preset: 'workspace-write' })
    await session.turn(script(call('m1', 'Remember', { content: 'x' }), call('s1', 'Skill', { name: 'none' })))
    expect(await session.callOf('m1')).toMatchObject({ status: 'completed' })
    expect(await session.callOf('s1')).toMatchObject({ status: 'failed' })
  })
})
