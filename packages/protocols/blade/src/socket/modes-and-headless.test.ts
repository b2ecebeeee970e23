import { RESULT_TOOL, type JsonObject, type Tool } from '@polylogue/engine'
import { calls, createAgentTool, createFakeTool, finishes, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createAskTool } from '../test-support/ask-tool.ts'
import { findBreaches } from '../test-support/find-breaches.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }

/** Takes `{ n: number }`. */
const toolFor = (parameters: JsonObject): Tool => ({
  ...createFakeTool(RESULT_TOOL, { exposed: false, kind: 'result' }),
  parameters,
  check: (input) =>
    typeof input['n'] === 'number' ? { ok: true, input } : { ok: false, problem: 'n: must be a number' },
})

const outputTools = {
  toolFor,
  problemOf: async (schema: JsonObject) =>
    schema['type'] === 'object' ? undefined : 'outputSchema: must be an object schema',
}

describe('a mode', () => {
  it('blade 109: that changes is reported as a system turn before the message', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client()
    await client.say(sessionId, 'think', { mode: 'planning' })
    await client.say(sessionId, 'more', { mode: 'planning' })
    await client.say(sessionId, 'act', { mode: 'executing' })
    expect(client.story().slice(0, 6)).toEqual([
      'chat:start',
      'turn:start system completed',
      'turn:end system completed',
      'turn:start user completed',
      'turn:end user completed',
      'turn:start assistant streaming',
    ])
    const modes = client.of('turn:end').filter(({ role }) => role === 'system')
    expect(modes.map(({ blocks }) => blocks.map(({ type, content }) => [type, content]))).toEqual([
      [
        ['mode_change', { from: 'executing', to: 'planning' }],
        ['planning_enter', null],
      ],
      [
        ['mode_change', { from: 'planning', to: 'executing' }],
        ['planning_exit', null],
      ],
    ])
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
    expect(client.state(sessionId).turns).toEqual(await door.messages(sessionId))
  })

  it('blade 109: that changes elsewhere is reported too', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client()
    await client.subscribe(sessionId)
    const configure = { type: 'configure-session', userId: door.user, sessionId } as const
    await door.engine.execute({ ...configure, changes: { planning: true } })
    await client.until('turn:end')
    expect(client.story()).toEqual(['turn:start system completed', 'turn:end system completed'])
  })

  it('blade 110: of planning runs nothing that changes anything', async () => {
    const write = createFakeTool('write', { effect: 'unsafe' })
    const door = await openTestDoor({ tools: [write] })
    door.model.push([calls('a', 'write'), finishes('tool-calls')])
    const sessionId = await door.session()
    const client = await door.client()
    await client.say(sessionId, 'plan', { mode: 'planning' })
    expect(write.invocations).toEqual([])
    expect(client.of('turn:end').flatMap(({ tool_calls }) => tool_calls)).toMatchObject([{ id: 'a', status: 'error' }])
  })

  it('blade 111: stays until another is chosen; the first is that of the role', async () => {
    const roles = [{ id: 'planner', name: 'Planner', instructions: 'Plan.', isPlanning: true }]
    const door = await openTestDoor({ roles })
    const presetOf = async (id: Awaited<ReturnType<typeof door.session>>) =>
      (await door.engine.readSession(door.user, id)).preset
    const planner = await door.session({ role: 'planner' })
    expect(await presetOf(planner)).toBe('plan')
    const client = await door.client()
    await client.say(planner, 'hi')
    expect(await presetOf(planner)).toBe('plan')
    const plain = await door.session()
    await client.say(plain, 'hi')
    expect(await presetOf(plain)).toBe('workspace-write')
    expect(client.of('turn:end').filter(({ role }) => role === 'system')).toEqual([])
  })

  it('blade 112: that is unknown is refused', async () => {
    const door = await openTestDoor()
    const client = await door.client()
    const payload = { session_id: await door.session(), message: 'hi', mode: 'dreaming' }
    expect(await client.socket.emitWithAck('chat:send', payload)).toMatchObject({ code: 'invalid_payload' })
    expect(client.of('chat:start')).toEqual([])
  })
})

describe('a headless run', () => {
  it('blade 113: ends with its last words as the result', async () => {
    const door = await openTestDoor({ tools: [createFakeTool('t')] })
    door.model.push([says('first'), calls('a', 't'), finishes('tool-calls')], [says('the '), says('end'), finishes()])
    const client = await door.client()
    await client.say(await door.session(), 'go', { headless: true })
    expect(client.of('chat:end')).toMatchObject([{ status: 'completed', result: { output: 'the end' } }])
  })

  it('blade 114: with a schema ends with a value of that shape', async () => {
    const door = await openTestDoor({ outputs: outputTools })
    door.model.push(
      [calls('a', RESULT_TOOL, { n: 'one' }), finishes('tool-calls')],
      [calls('b', RESULT_TOOL, { n: 1 }), finishes('tool-calls')],
    )
    const client = await door.client()
    await client.say(await door.session(), 'count', { headless: true, output_schema: SCHEMA })
    expect(client.of('chat:end')).toMatchObject([
      { status: 'completed', finish_reason: 'completed', result: { output: { n: 1 }, schema: SCHEMA } },
    ])
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 114: that never gives one fails', async () => {
    const door = await openTestDoor({ outputs: outputTools })
    const client = await door.client()
    await client.say(await door.session(), 'count', { headless: true, output_schema: SCHEMA })
    expect(client.of('chat:end')).toMatchObject([{ status: 'failed', result: null }])
    expect(client.of('system:error')).toMatchObject([{ code: 'output_schema_violation' }])
  })

  it('differs from a watched message, and from one that asks for another shape', async () => {
    const door = await openTestDoor({ outputs: outputTools })
    const client = await door.client()
    const sessionId = await door.session()
    const send = (options: object) => client.say(sessionId, 'go', { client_message_id: 'one', ...options })
    const first = await send({ headless: true })
    expect(await client.send(sessionId, 'go', { client_message_id: 'one', headless: true })).toEqual(first)
    expect(await send({})).toMatchObject({ code: 'invalid_payload' })
    expect(await send({ headless: true, output_schema: SCHEMA })).toMatchObject({ code: 'invalid_payload' })
  })

  it('blade 114: with an invalid schema is refused with a message that names it', async () => {
    const door = await openTestDoor({ outputs: outputTools })
    const client = await door.client()
    const ack = await client.send(await door.session(), 'go', { output_schema: { type: 'text' } })
    expect(ack).toMatchObject({ code: 'invalid_payload', message: 'output_schema: must be an object schema' })
  })

  it('blade 115: is offered no questions and no sub-agents, and what would be asked for is allowed', async () => {
    const write = createFakeTool('write', { effect: 'unsafe' })
    const door = await openTestDoor({ tools: [createAskTool(), createAgentTool(), write] })
    door.model.push([calls('a', 'write'), finishes('tool-calls')])
    const client = await door.client()
    await client.say(await door.session(), 'go', { headless: true })
    expect(door.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['write'])
    expect(write.invocations).toHaveLength(1)
    expect(client.of('turn:end').map(({ status }) => status)).not.toContain('paused')
  })
})
