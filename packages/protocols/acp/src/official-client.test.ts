import { client, ndJsonStream, type SessionUpdate } from '@agentclientprotocol/sdk'
import { calls, createFakeParts, createFakeTool, finishes, hangs, loadAcpFrameChecker, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from './test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

describe('the client of the official SDK', () => {
  it('begins a session, allows a call, cancels, lists, loads, configures and closes', async () => {
    const write = createFakeTool('write', { effect: 'unsafe' })
    const world = open({ tools: [write] })
    const { connection, toAgent, fromAgent } = world.serve()
    const updates: SessionUpdate[] = []
    const asked: string[] = []
    const app = client({ name: 'test' })
      .onRequest('session/request_permission', ({ params }) => {
        asked.push(params.toolCall.toolCallId)
        return { outcome: { outcome: 'selected', optionId: 'allow' } }
      })
      .onNotification('session/update', ({ params }) => {
        updates.push(params.update)
        if (params.update.sessionUpdate === 'agent_message_chunk') heard?.()
      })
    let heard: (() => void) | undefined
    const { agent } = app.connect(ndJsonStream(toAgent, fromAgent))

    const hello = await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    expect(hello.agentInfo?.name).toBe('polylogue')
    const { sessionId } = await agent.request('session/new', { cwd: world.cwd, mcpServers: [] })
    const prompt = (text: string) => agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })

    world.model.push([says('I write'), calls('c1', 'write'), finishes('tool-calls')], [says('done'), finishes()])
    expect(await prompt('write')).toMatchObject({ stopReason: 'end_turn' })
    expect(asked).toEqual(['c1'])
    expect(write.invocations).toHaveLength(1)

    world.clock.advance(20)
    world.model.push([says('half'), () => hangs()])
    const speaks = new Promise<void>((resolve) => (heard = resolve))
    const cancelled = prompt('think')
    await speaks
    await agent.notify('session/cancel', { sessionId })
    expect(await cancelled).toMatchObject({ stopReason: 'cancelled' })

    expect(await agent.request('session/set_mode', { sessionId, modeId: 'plan' })).toBeDefined()
    const options = await agent.request('session/set_config_option', {
      sessionId,
      configId: 'model',
      value: 'openai/x',
    })
    expect(options.configOptions.map(({ id }) => id)).toEqual(['model', 'mode'])
    expect((await agent.request('session/list', {})).sessions).toMatchObject([{ sessionId, title: 'write' }])
    await agent.request('session/close', { sessionId })

    updates.length = 0
    const loaded = await agent.request('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    expect(loaded.modes?.currentModeId).toBe('plan')
    expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      'user_message_chunk',
      'agent_message_chunk',
      'tool_call',
      'tool_call_update',
      'agent_message_chunk',
      'user_message_chunk',
      'agent_message_chunk',
    ])
    await expect(agent.request('session/resume', { sessionId: 'unknown', cwd: world.cwd })).rejects.toMatchObject({
      code: -32002,
    })
    await agent.request('session/delete', { sessionId })
    expect((await agent.request('session/list', {})).sessions).toEqual([])
    await connection.close()
  })
})
