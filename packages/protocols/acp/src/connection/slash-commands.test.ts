import { asSessionId } from '@polylogue/engine'
import { createFakeParts, createMemoryMemoryStore, loadAcpFrameChecker } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { SessionCommand } from '@polylogue/kit'
import type { AcpDeps } from '../index.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const commands: AcpDeps['commands'] = {
  list: ({ agent }) => [
    { name: 'greet', description: `How ${agent} greets`, hint: 'whom' },
    { name: 'tidy', description: 'Tidy up' },
    { name: 'help', description: 'A command of ours counts' },
  ],
  async run(_session, { name, rest }) {
    if (name === 'tidy') return { type: 'said', text: 'It is tidy.' }
    return name === 'greet' ? { type: 'prompt', text: `Greet politely.\n\n${rest}` } : undefined
  },
}

async function openSession(hasMemory = true) {
  const parts = createFakeParts()
  const memories = createMemoryMemoryStore({ clock: parts.clock })
  const world = open({ commands, ...(hasMemory && { memories }) })
  const connected = await world.connect()
  const { client, newSession, say } = connected
  const sessionId = asSessionId(await newSession())
  /** What the command says, after which nothing was asked of the model. */
  const command = async (text: string): Promise<string> => {
    const before = client.text().length
    expect(await say(sessionId, text)).toMatchObject({ result: { stopReason: 'end_turn' } })
    return client.text().slice(before)
  }
  return { ...world, ...connected, sessionId, command }
}

describe('a prompt that is a command', () => {
  it('is offered by name', async () => {
    const { client } = await openSession()
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'available_commands_update')
    const [offered] = client.updates().filter(({ sessionUpdate }) => sessionUpdate === 'available_commands_update')
    expect(offered).toMatchObject({
      availableCommands: [
        { name: 'greet', description: 'How tester greets', input: { hint: 'whom' } },
        { name: 'tidy', description: 'Tidy up' },
        ...['compact', 'mode', 'model', 'usage', 'memory', 'help'].map((name) => ({ name })),
      ],
    })
  })

  it('shows all of them', async () => {
    const { command, model } = await openSession()
    expect(await command('/help')).toMatch(
      /`\/compact`.*`\/mode \[a mode\]`.*`\/model \[provider\/model\]`.*`\/memory .*`\/help`/s,
    )
    expect(model.requests).toEqual([])
  })

  it('acp finding 11: is a prompt for the model if the server writes one, and the history shows what was typed', async () => {
    const { client, command, model, sessionId, connect, cwd } = await openSession()
    await command('/greet the queen')
    expect(model.requests[0]?.messages.at(-1)?.content).toBe('Greet politely.\n\nthe queen')
    await client.leave()
    const later = await connect()
    await later.client.result('session/load', { sessionId, cwd, mcpServers: [] })
    expect(later.client.text('user_message_chunk')).toBe('/greet the queen')
  })

  it('is answered to the user if the server did something itself', async () => {
    const { command, model } = await openSession()
    expect(await command('/tidy')).toBe('It is tidy.')
    expect(await command('/help')).not.toContain('A command of ours counts')
    expect(model.requests).toEqual([])
  })

  it('acp finding 11: is offered again once a server of the session is connected', async () => {
    const late: SessionCommand[] = []
    const ready = Promise.withResolvers<void>()
    const world = open({
      commands: { list: () => late, run: async () => undefined },
      sessionServers: { open: () => ready.promise, close: async () => undefined },
    })
    const { client, newSession } = await world.connect()
    await newSession()
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'available_commands_update')
    late.push({ name: 'mcp_git_blame', description: 'Blames' })
    ready.resolve()
    await client.untilUpdate((update) => JSON.stringify(update).includes('mcp_git_blame'))
  })

  it('shows the usage of the session', async () => {
    const { command, model } = await openSession()
    expect(await command('/usage')).toBe('Nothing was used in this session yet.')
    const usage = { inputTokens: 1_200, outputTokens: 30, cost: { nano: 5_000_000, currency: 'USD' } }
    model.push([{ type: 'finished', finish: 'stop', usage }])
    await command('hello')
    expect(await command('/usage')).toBe(
      '- Context: 1,230 tokens\n- Read by models: 1,200 tokens\n- Written by models: 30 tokens\n- Cost: 0.0050 USD',
    )
  })

  it('shows and changes the mode', async () => {
    const { client, command, engine, user, sessionId } = await openSession()
    expect(await command('/mode')).toContain('`workspace-write` (now)')
    expect(await command('/mode plan')).toBe('The mode is now plan.')
    expect((await engine.readSession(user, sessionId)).preset).toBe('plan')
    expect(client.kinds()).toContain('current_mode_update')
    expect(await command('/mode fast')).toBe(
      'Unknown mode "fast". Modes: read-only, workspace-write, full-access, plan.',
    )
  })

  it('shows and changes the model', async () => {
    const { client, command, engine, user, sessionId } = await openSession()
    expect(await command('/model')).toContain('`fake/model` (now)')
    expect(await command('/model openai/x')).toMatch(/^The model is now openai\/x\..* No provider lists this name/)
    expect(await command('/model fake/model')).toBe('The model is now fake/model. It is used from the next turn.')
    expect(await command('/model openai/x')).toContain('The model is now openai/x.')
    expect((await engine.readSession(user, sessionId)).model).toBe('openai/x')
    expect(client.kinds()).toContain('config_option_update')
    expect(await command('/model nobody/x')).toBe("Not possible: cannot resolve provider 'nobody'.")
    expect(await command('/model')).toContain('`openai/x` (now)')
  })

  it('shows, adds and removes memories', async () => {
    const { command } = await openSession()
    expect(await command('/memory')).toBe('There are no memories about you yet.')
    const added = await command('/memory add I like tea')
    const [id = ''] = /\d+/.exec(added) ?? []
    expect(await command('/memory add I like tea')).toBe(`That is already memory ${id}.`)
    expect(await command('/memory list')).toContain(`- ${id}: I like tea`)
    expect(await command(`/memory remove ${id}`)).toBe(`Memory ${id} was removed.`)
    expect(await command(`/memory remove ${id}`)).toBe(`There is no memory ${id}.`)
    expect(await command('/memory forget everything')).toContain('/memory remove NUMBER')
    expect(await command(`/memory add ${'x'.repeat(501)}`)).toContain('500 characters')
  })

  it('goes to the model when the command is unknown or there is no memory', async () => {
    const { command, model } = await openSession(false)
    await command('/memory')
    await command('/dance')
    expect(model.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['/memory', '/dance'])
  })

  it('is not part of the history', async () => {
    const { command, engine, user, sessionId } = await openSession()
    await command('/help')
    expect(await Array.fromAsync(await engine.streamHistory(user, sessionId, 'full'))).toEqual([])
  })
})
