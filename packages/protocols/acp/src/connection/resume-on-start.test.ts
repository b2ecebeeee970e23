import { createFakeParts, finishes, loadAcpFrameChecker, says } from '@polylogue/testkit'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AcpResume } from '../deps.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

/** A world with sessions from before, each named after what was said in it. */
async function openWithPast(...texts: readonly string[]) {
  const world = open()
  const { client, newSession, say } = await world.connect()
  const ids: string[] = []
  for (const text of texts) {
    world.model.push([says(`heard ${text}`), finishes()])
    const sessionId = await newSession()
    await say(sessionId, text)
    world.clock.advance(60_000)
    ids.push(sessionId)
  }
  await client.leave()
  const start = (selector?: string, replay: AcpResume['replay'] = 'before') =>
    world.connect({ resume: { ...(selector !== undefined && { selector }), replay } })
  return { ...world, ids, start }
}

describe('a client that resumes as it starts', () => {
  it('acp 48: continues the session that changed last and replays it before the answer', async () => {
    const { ids, start, model } = await openWithPast('one', 'two')
    const { client, newSession, say } = await start()
    const sessionId = await newSession()
    expect(sessionId).toBe(ids[1])
    const answer = client.frames.findIndex(({ result }) => result?.sessionId === sessionId)
    expect(client.frames.slice(1, answer).map(({ params }) => params.update.content.text)).toEqual(['two', 'heard two'])
    await say(sessionId, 'more')
    expect(model.requests.at(-1)?.messages).toHaveLength(3)
  })

  it('acp 48: can have the history replayed after the answer', async () => {
    const { ids, start } = await openWithPast('one')
    const { client, newSession } = await start(undefined, 'after')
    expect(await newSession()).toBe(ids[0])
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'available_commands_update')
    const kinds = client.frames.map(
      ({ params, result }) => params?.update.sessionUpdate ?? (result?.sessionId && 'answer'),
    )
    expect(kinds.slice(1)).toEqual(['answer', 'user_message_chunk', 'agent_message_chunk', 'available_commands_update'])
  })

  it('acp 49: selects the session by its id, an id prefix or a time', async () => {
    const { ids, start } = await openWithPast('one', 'two')
    const [one = '', two = ''] = ids
    for (const [selector, expected] of [
      [one, one],
      [two, two],
      ['2026-01-01T00:00', one],
      ['2026-01-01T00:01', two],
      ['2026-01', two],
    ] as const) {
      const { client, newSession } = await start(selector)
      expect(await newSession()).toBe(expected)
      await client.leave()
    }
    const alone = await openWithPast('alone')
    expect(await (await alone.start(alone.ids[0]?.slice(0, 8))).newSession()).toBe(alone.ids[0])
  })

  it('acp 50: resumes only once', async () => {
    const { ids, start } = await openWithPast('one', 'two')
    const { client, newSession, cwd } = { ...(await start()), cwd: '/' }
    expect(await client.error('session/new', { cwd: 'relative', mcpServers: [] })).toMatchObject({ code: -32602 })
    const found = await Promise.all([newSession(), newSession(), newSession({ cwd })])
    expect(found.filter((id) => ids.includes(id))).toEqual([ids[1]])
  })

  it('acp 51: gets a new session if there is none to continue', async () => {
    const { ids, start, cwd, logged } = await openWithPast('one', 'two')
    const other = join(cwd, 'other')
    mkdirSync(other)
    const fresh = [
      await (await start()).newSession({ cwd: other }),
      await (await start('unknown')).newSession(),
      // Two sessions begin so.
      await (await start(ids[0]?.slice(0, 8))).newSession(),
    ]
    expect(ids).not.toEqual(expect.arrayContaining([expect.stringMatching(new RegExp(fresh.join('|')))]))
    expect(logged.filter(({ message }) => message === 'there is no session to resume')).toHaveLength(3)
  })

  it('acp 51: gets a new session when the sessions cannot be read', async () => {
    const world = open({
      around: (engine) => ({ ...engine, findSessions: () => Promise.reject(new Error('broken')) }),
    })
    const { newSession } = await world.connect({ resume: { replay: 'before' } })
    expect(await newSession()).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('acp 52: gets a new session when the session is already open on this connection', async () => {
    const { ids, start, cwd } = await openWithPast('one')
    const { client, newSession } = await start()
    await client.result('session/load', { sessionId: ids[0], cwd, mcpServers: [] })
    expect(await newSession()).not.toBe(ids[0])
  })
})
