import { createFakeParts, createFakeTool, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { user, usingDoor } from './test-support/using-door.ts'

const rig = usingDoor(createFakeParts)
const { open, turn, refusal } = rig

describe('version 1', () => {
  const agent = { name: 'tester' }
  const tools = [{ name: 'weather', description: '', inputSchema: { type: 'object' } }]

  it('creates and runs in one request, and the session continues through version 3', async () => {
    await open()
    const created = await rig.door.send('PUT', '/v1/session', {
      body: { agent, messages: [{ role: 'system', content: 's' }, ...user('hi')], tools },
    })
    expect(created.status).toBe(201)
    const { sessionId, ...answer } = await created.json()
    expect(answer).toEqual({
      stopReason: 'end_turn',
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'done' }] }],
    })
    expect(await turn(`/v3/sessions/${sessionId}`, { messages: user('more') })).toMatchObject({
      stopReason: 'end_turn',
    })
    expect((await (await rig.door.send('GET', `/v3/sessions/${sessionId}`)).json()).tools).toEqual([
      { name: 'weather', description: '', parameters: { type: 'object' } },
    ])
    const shown = await (await rig.door.send('GET', `/v1/session/${sessionId}`)).json()
    expect(shown).toMatchObject({ sessionId, agent, tools, history: { compacted: expect.any(Array) } })
    expect(shown.history.full.map((message: { role: string }) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
    ])
    expect(
      Object.keys((await (await rig.door.send('GET', `/v1/session/${sessionId}?history=full`)).json()).history),
    ).toEqual(['full'])
    expect(await refusal('GET', `/v1/session/${sessionId}?history=other`)).toMatch(/^400 history/)
    expect((await (await rig.door.send('GET', '/v1/sessions')).json()).sessions).toContain(sessionId)
    expect((await rig.door.send('DELETE', `/v1/session/${sessionId}`)).status).toBe(204)
    expect(await refusal('GET', `/v1/session/${sessionId}`)).toMatch(/^404 /)
  })

  it('streams session_start first when it creates, and not when it continues', async () => {
    await open()
    const created = await rig.door.send('PUT', '/v1/session', {
      body: { agent, messages: user('hi'), stream: 'delta' },
    })
    expect(created.status).toBe(200)
    const frames = await created.frames()
    expect(frames.map(({ event }) => event)).toEqual(['session_start', 'turn_start', 'text_delta', 'turn_stop'])
    const path = `/v1/session/${String(frames[0]?.data['sessionId'])}`
    const more = await rig.door.send('POST', path, { body: { messages: user('hi'), stream: 'message' } })
    expect((await more.frames()).map(({ event }) => event)).toEqual(['turn_start', 'text', 'turn_stop'])
    expect(await (await rig.door.send('POST', path, { body: { messages: user('hi') } })).json()).not.toHaveProperty(
      'sessionId',
    )
  })

  it('shows tools with inputSchema and refuses parameters', async () => {
    await open({ tools: [createFakeTool('t')] })
    const meta = await (await rig.door.send('GET', '/v1/meta')).json()
    expect(meta).toMatchObject({
      version: 1,
      agents: [{ tools: [{ name: 't', description: 'the tool t', inputSchema: { type: 'object' } }] }],
    })
    const body = { agent, messages: user('hi'), tools: [{ name: 'x', description: '', parameters: {} }] }
    expect(await refusal('PUT', '/v1/session', { body })).toBe('400 tools[0].inputSchema: expected object')
    expect(await refusal('PUT', '/v1/session', { body: { agent, messages: [] } })).toBe(
      '400 Last message must be a user message',
    )
  })

  it('gives the id also when the model fails', async () => {
    await open()
    rig.door.model.push([says('half'), { type: 'failed', error: { code: 'down', message: 'The model is away.' } }])
    const created = await rig.door.send('PUT', '/v1/session', { body: { agent, messages: user('hi') } })
    expect([created.status, await created.json()]).toEqual([
      201,
      {
        sessionId: expect.any(String),
        stopReason: 'error',
        messages: [{ role: 'assistant', content: [{ type: 'text', text: 'half' }] }],
        error: { message: 'The model is away.' },
      },
    ])
  })
})
