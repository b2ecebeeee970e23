import { createFakeParts, finishes, hangs, loadAcpFrameChecker, says } from '@polylogue/testkit'
import { asSessionId } from '@polylogue/engine'
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))
type World = ReturnType<typeof open>

const view = (world: World, sessionId: string) => world.engine.readSession(world.user, asSessionId(sessionId))

describe('session/fork', () => {
  it('acp finding 11: continues the conversation of another session, which stays unchanged', async () => {
    const world = open()
    world.model.push([says('one'), finishes()], [says('two'), finishes()])
    const { client, newSession, say } = await world.connect()
    const parent = await newSession()
    await say(parent, 'first')
    const before = await world.recorded(parent)
    const { sessionId, modes, configOptions } = await client.result('session/fork', {
      sessionId: parent,
      cwd: world.cwd,
      mcpServers: [],
    })
    expect(modes.currentModeId).toBe('workspace-write')
    expect(configOptions[0].id).toBe('model')
    expect(client.updates(sessionId).filter(({ sessionUpdate }) => sessionUpdate.endsWith('_chunk'))).toEqual([])
    await say(sessionId, 'second')
    expect(world.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    const forked = { type: 'session.forked', childId: sessionId, turnId: expect.any(String) }
    expect(await world.recorded(parent)).toEqual([...before, forked])
    const { sessions } = await client.result('session/list', {})
    expect(sessions.map(({ title }: { title: string }) => title)).toEqual(['first (fork)', 'first'])
  })

  it('is replayed like any other session when it is loaded', async () => {
    const world = open()
    world.model.push([says('one'), finishes()])
    const { client, newSession, say } = await world.connect()
    const parent = await newSession()
    await say(parent, 'first')
    const { sessionId } = await client.result('session/fork', { sessionId: parent, cwd: world.cwd })
    await client.result('session/close', { sessionId })
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    const shown = client.updates(sessionId).filter(({ sessionUpdate }) => sessionUpdate.endsWith('_chunk'))
    expect(shown).toMatchObject([
      { sessionUpdate: 'user_message_chunk', content: { text: 'first' } },
      { sessionUpdate: 'agent_message_chunk', content: { text: 'one' } },
    ])
  })

  it('of a running session leaves out the running turn', async () => {
    const world = open()
    world.model.push([hangs])
    const { client, newSession } = await world.connect()
    const parent = await newSession()
    const prompt = client.call('session/prompt', { sessionId: parent, prompt: [{ type: 'text', text: 'go' }] })
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'session_info_update')
    const { sessionId } = await client.result('session/fork', { sessionId: parent, cwd: world.cwd })
    expect(await world.recorded(sessionId)).toMatchObject([{ type: 'session.created' }])
    client.notify('session/cancel', { sessionId: parent })
    await prompt
  })

  it('is refused for an unknown session, another directory, and in profile seed', async () => {
    const world = open()
    const { client, newSession } = await world.connect()
    const sessionId = await newSession()
    const other = mkdtempSync(join(tmpdir(), 'acp-other-'))
    expect(await client.error('session/fork', { sessionId: 'none', cwd: world.cwd })).toMatchObject({ code: -32002 })
    expect(await client.error('session/fork', { sessionId, cwd: other })).toMatchObject({ code: -32602 })
    expect(await client.error('session/fork', { sessionId })).toMatchObject({ code: -32602 })
    const seed = await world.connect({ profile: 'seed' })
    expect(await seed.client.error('session/fork', { sessionId, cwd: world.cwd })).toMatchObject({ code: -32601 })
  })
})

describe('additionalDirectories', () => {
  it('acp finding 11: are roots of the session, listed, and replaced when it is loaded', async () => {
    const world = open()
    const { client, newSession, say } = await world.connect()
    const lib = realpathSync(mkdtempSync(join(tmpdir(), 'acp-lib-')))
    const docs = join(world.cwd, 'docs')
    mkdirSync(docs)
    symlinkSync(lib, join(world.cwd, 'link'))
    const cwd = realpathSync(world.cwd)
    const sessionId = await newSession({ additionalDirectories: [`${lib}/`, join(world.cwd, 'link'), cwd] })
    expect((await view(world, sessionId)).directories).toEqual([cwd, lib])
    await say(sessionId, 'hello')
    const { sessions } = await client.result('session/list', {})
    expect(sessions).toMatchObject([{ cwd, additionalDirectories: [lib] }])
    const fork = await client.result('session/fork', { sessionId, cwd, additionalDirectories: [docs] })
    expect((await view(world, fork.sessionId)).directories).toEqual([cwd, realpathSync(docs)])
    await client.result('session/load', { sessionId, cwd, mcpServers: [], additionalDirectories: [docs] })
    expect((await view(world, sessionId)).directories).toEqual([cwd, realpathSync(docs)])
    await client.result('session/resume', { sessionId, cwd })
    expect((await view(world, sessionId)).directories).toEqual([cwd])
  })

  it('must exist, be absolute and be allowed', async () => {
    const world = open()
    const { client } = await world.connect({
      rights: { stdioMcpServers: true, editorOffers: true, directories: [world.cwd] },
    })
    const lib = mkdtempSync(join(tmpdir(), 'acp-lib-'))
    for (const additionalDirectories of [[lib], ['docs'], [join(world.cwd, 'none')], [''], [7], 'x', {}]) {
      const params = { cwd: world.cwd, mcpServers: [], additionalDirectories }
      expect(await client.error('session/new', params)).toMatchObject({ code: -32602 })
    }
    expect(await client.result('session/list', {})).toEqual({ sessions: [] })
  })
})

describe('session/set_title', () => {
  it('acp finding 11: is stored in one line, sent to every client, and not replaced by the first input', async () => {
    const world = open()
    const { client, newSession, say } = await world.connect()
    const other = await world.connect()
    const sessionId = await newSession()
    expect(await other.client.result('session/set_title', { sessionId, title: '  Fix\n the build ' })).toEqual({
      title: 'Fix the build',
    })
    await client.untilUpdate((update) => update.title === 'Fix the build')
    await say(sessionId, 'hello')
    const { sessions } = await client.result('session/list', {})
    expect(sessions).toMatchObject([{ title: 'Fix the build' }])
  })

  it.each([undefined, null, 7, '', ' \n '])('%j is refused', async (title) => {
    const world = open()
    const { client, newSession } = await world.connect()
    const sessionId = await newSession()
    expect(await client.error('session/set_title', { sessionId, title })).toMatchObject({ code: -32602 })
    expect(await client.error('session/set_title', { sessionId: 'none', title: 'x' })).toMatchObject({ code: -32002 })
  })
})
