import { createFakeParts, finishes, hangs, loadAcpFrameChecker, says } from '@polylogue/testkit'
import type { SessionId } from '@polylogue/engine'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'
import { storeSession } from '../test-support/store-session.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))
const notFound = { standard: -32002, seed: -32602 } as const
const profiles = ['standard', 'seed'] as const

describe('stored sessions', () => {
  it('acp finding 10: session/list finds a directory in any spelling, even after it was removed', async () => {
    const world = open()
    const dir = join(world.cwd, 'project')
    mkdirSync(dir)
    symlinkSync(dir, join(world.cwd, 'link'))
    const sessionId = await storeSession(world, ['hello'], join(world.cwd, 'link/'))
    const { client } = await world.connect()
    const found = async (cwd: string) => (await client.result('session/list', { cwd })).sessions.length
    const spellings = ['project', 'project/', 'link', 'link/', 'project/../project', './link//']
    for (const spelling of spellings) expect([spelling, await found(`${world.cwd}/${spelling}`)]).toEqual([spelling, 1])
    rmSync(dir, { recursive: true })
    const { cwd } = (await client.result('session/list', {})).sessions[0]
    expect([await found(cwd), await found(`${cwd}/`)]).toEqual([1, 1])
    expect(sessionId).toBeDefined()
  })

  it('acp 64: are listed newest first, by directory, page by page', async () => {
    const world = open({ limits: { pageSize: 2 } })
    const other = join(world.cwd, 'other')
    mkdirSync(other)
    const one = await storeSession(world, ['one'])
    const two = await storeSession(world, ['two'], other)
    const three = await storeSession(world, ['three'])
    const { client, newSession, say } = await world.connect()
    await newSession()
    await client.result('session/resume', { sessionId: one, cwd: world.cwd })
    await say(one, 'again')
    const list = async (params: object) => client.result('session/list', params)
    const first = await list({})
    expect(first.sessions).toEqual([
      { sessionId: one, cwd: world.cwd, title: 'one', updatedAt: '2026-01-01T00:00:03.000Z' },
      { sessionId: three, cwd: world.cwd, title: 'three', updatedAt: '2026-01-01T00:00:02.000Z' },
    ])
    const second = await list({ cursor: first.nextCursor })
    expect(second).toEqual({ sessions: [expect.objectContaining({ sessionId: two, cwd: other })] })
    expect((await list({ cwd: other })).sessions).toMatchObject([{ sessionId: two }])
    expect(await list({ cwd: '/nowhere', cursor: null })).toEqual({ sessions: [] })
  })

  it.each(profiles)('acp 65: a relative directory or an unknown cursor is refused in profile %s', async (profile) => {
    const { client } = await open().connect({ profile })
    for (const params of [
      { cwd: 'relative' },
      { cwd: 7 },
      { cursor: 'bogus' },
      { cursor: 7 },
      { cursor: 'YWZ0ZXI6LTE' },
    ]) {
      expect(await client.error('session/list', params)).toMatchObject({ code: -32602 })
    }
  })

  it('acp 66: session/close cancels the turns that this connection started, then answers', async () => {
    const world = open()
    world.model.push([says('half'), () => hangs()])
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    expect(await client.result('session/close', { sessionId })).toEqual({})
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    expect(client.frames.findIndex(({ result }) => result?.stopReason)).toBeLessThan(client.frames.length - 1)
    expect(await client.error('session/prompt', { sessionId, prompt: [] })).toMatchObject({ code: -32002 })
    expect((await client.result('session/list', {})).sessions).toMatchObject([{ sessionId }])
  })

  it('acp 66: turns of another connection continue', async () => {
    const world = open()
    const more = Promise.withResolvers<void>()
    world.model.push([says('half'), () => more.promise, says(' and half'), finishes()])
    const first = await world.connect()
    const sessionId = await first.newSession()
    const answered = first.say(sessionId, 'go')
    const second = await world.connect()
    await second.client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    expect(await second.client.result('session/close', { sessionId })).toEqual({})
    more.resolve()
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(first.client.text()).toBe('half and half')
  })

  it('acp 66: queued prompts are dropped with it', async () => {
    const world = open()
    world.model.push([says('on it'), () => hangs()])
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const answers = ['one', 'two', 'three'].map((text) => say(sessionId, text))
    await client.untilUpdate(({ content }) => content?.text === 'on it')
    await client.result('session/close', { sessionId })
    const reasons = (await Promise.all(answers)).map(({ result }) => result.stopReason)
    expect(reasons).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(world.model.requests).toHaveLength(1)
  })

  it.each(profiles)(
    'acp 67: closing an unknown session is an error and deleting it is not, in profile %s',
    async (profile) => {
      const { client, newSession } = await open().connect({ profile })
      const sessionId = await newSession()
      await client.result('session/close', { sessionId })
      for (const id of ['unknown', sessionId]) {
        expect(await client.error('session/close', { sessionId: id })).toMatchObject({ code: notFound[profile] })
      }
      expect(await client.result('session/delete', { sessionId: 'unknown' })).toEqual({})
    },
  )

  it('acp 68: a deleted session is gone, even if a turn was running', async () => {
    const world = open()
    const { client, newSession, say } = await world.connect()
    const one = await storeSession(world)
    const two = await newSession()
    world.model.push([says('half'), () => hangs()])
    const answered = say(two, 'go')
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    for (const sessionId of [one, two]) expect(await client.result('session/delete', { sessionId })).toEqual({})
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    expect(await client.result('session/list', {})).toEqual({ sessions: [] })
  })

  it('deleting a session at another door ends its prompts here', async () => {
    const world = open()
    world.model.push([says('half'), () => hangs()])
    const { client, newSession, say } = await world.connect()
    const sessionId = (await newSession()) as SessionId
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    await world.engine.execute({ type: 'delete-session', userId: world.user, sessionId })
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    expect(await client.error('session/set_mode', { sessionId, modeId: 'plan' })).toMatchObject({ code: -32002 })
  })
})
