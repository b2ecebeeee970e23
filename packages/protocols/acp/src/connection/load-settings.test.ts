import { calls, createFakeParts, createFakeTool, finishes, loadAcpFrameChecker } from '@polylogue/testkit'
import type { SessionId } from '@polylogue/engine'
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'
import { storeSession } from '../test-support/store-session.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

describe('session/load', () => {
  it('acp 60: another directory is refused, and nothing is replayed', async () => {
    const world = open()
    const other = join(world.cwd, 'other')
    const link = join(world.cwd, 'link')
    mkdirSync(other)
    symlinkSync(world.cwd, link)
    const sessionId = await storeSession(world)
    const { client } = await world.connect()
    for (const method of ['session/load', 'session/resume']) {
      expect(await client.error(method, { sessionId, cwd: other, mcpServers: [] })).toMatchObject({ code: -32602 })
    }
    expect(client.updates()).toEqual([])
    expect(await client.result('session/load', { sessionId, cwd: link, mcpServers: [] })).toHaveProperty('modes')
  })

  it('acp 60: a session whose directory was recorded under a link continues as a fork in the real directory', async () => {
    const world = open()
    const [real, link, other] = ['project', 'link', 'other'].map((name) => join(realpathSync(world.cwd), name)) as [
      string,
      string,
      string,
    ]
    mkdirSync(real)
    mkdirSync(other)
    symlinkSync(real, link)
    const { sessionId } = await world.engine.execute({
      type: 'create-session',
      userId: world.user,
      agent: 'tester',
      access: { type: 'preset' },
      directories: [link],
      input: 'hello',
    })
    const status = async () => (await world.engine.readSession(world.user, sessionId)).status
    while ((await status()) !== 'idle') await new Promise((resolve) => setImmediate(resolve))
    const { client } = await world.connect()
    const at = (cwd: string) => ({ sessionId, cwd, mcpServers: [] })
    for (const cwd of [link, real]) {
      expect(await client.error('session/load', at(cwd))).toMatchObject({
        code: -32602,
        message: expect.stringContaining(`fork the session to work in ${real}`),
      })
    }
    // The link can lead anywhere by now, so only the real path counts.
    for (const cwd of [link, other]) expect(await client.error('session/fork', at(cwd))).toMatchObject({ code: -32602 })
    const fork = await client.result('session/fork', at(real))
    expect((await world.engine.readSession(world.user, fork.sessionId)).directories).toEqual([real])
  })

  it('acp 60a: mode and model are restored with the session and take effect', async () => {
    const tool = createFakeTool('write', { effect: 'unsafe' })
    const world = open({ tools: [tool] })
    const first = await world.connect()
    const sessionId = await first.newSession()
    await first.client.result('session/set_mode', { sessionId, modeId: 'plan' })
    await first.client.result('session/set_config_option', { sessionId, configId: 'model', value: 'openai/x' })
    await first.client.leave()
    world.model.push([calls('c1', 'write'), finishes('tool-calls')])
    const { client, say } = await world.connect()
    const answer = await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    expect(answer).toMatchObject({
      modes: { currentModeId: 'plan' },
      configOptions: [
        { id: 'model', currentValue: 'openai/x' },
        { id: 'mode', currentValue: 'plan' },
      ],
    })
    await say(sessionId, 'write')
    expect(client.requests).toEqual([])
    expect(tool.invocations).toEqual([])
    expect(await world.recorded(sessionId)).toContainEqual(
      expect.objectContaining({ type: 'step.started', model: 'openai/x' }),
    )
  })

  it('acp 60a: so is a custom mode of the client, until another door changes the preset', async () => {
    const world = open()
    const first = await world.connect()
    const sessionId = await first.newSession()
    await first.client.result('session/set_mode', { sessionId, modeId: 'code' })
    await first.client.leave()
    const params = { sessionId, cwd: world.cwd, mcpServers: [] }
    const { client } = await world.connect()
    expect(await client.result('session/resume', params)).toMatchObject({ modes: { currentModeId: 'code' } })
    const changes = { planning: true }
    await world.engine.execute({
      type: 'configure-session',
      userId: world.user,
      sessionId: sessionId as SessionId,
      changes,
    })
    expect(
      (await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'current_mode_update')).params.update,
    ).toEqual({
      sessionUpdate: 'current_mode_update',
      currentModeId: 'plan',
    })
    expect(await client.result('session/load', params)).toMatchObject({ modes: { currentModeId: 'plan' } })
  })

  it('a model that is no longer available is replaced by the default, with a notice', async () => {
    const providers = ['fake', 'openai']
    const world = open({ providers })
    const first = await world.connect()
    const sessionId = await first.newSession()
    await first.client.result('session/set_config_option', { sessionId, configId: 'model', value: 'openai/x' })
    providers.pop()
    const { client } = await world.connect({ capabilities: { session: { notices: {} } } })
    const answer = await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    expect(answer.configOptions[0].currentValue).toBe('fake/model')
    expect(await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'notice')).toBeDefined()
  })

  it('acp 61: a changed list of servers is accepted and flagged', async () => {
    const world = open()
    const [a, b] = [
      { name: 'a', command: 'x', args: [] },
      { command: 'y', name: 'b' },
    ]
    const first = await world.connect()
    const sessionId = await first.newSession({ mcpServers: [a, b] })
    const { client } = await world.connect()
    const load = async (mcpServers: unknown[]): Promise<unknown> =>
      (await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers }))._meta
    const changed = { '_agentao.cn/mcpFingerprintChanged': true }
    expect(
      await load([
        { command: 'x', name: 'a' },
        { name: 'b', command: 'y', env: null },
      ]),
    ).toBeUndefined()
    expect(await load([b, a])).toEqual(changed)
    expect(await load([b, a])).toBeUndefined()
    expect(await load([b])).toEqual(changed)
    expect(await load([b, { ...a, env: [{ name: 'KEY', value: 'sk-secret' }] }])).toEqual(changed)
    expect(JSON.stringify(await world.recorded(sessionId))).not.toContain('sk-secret')
  })
})
