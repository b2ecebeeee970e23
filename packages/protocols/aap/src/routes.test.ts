import { calls, createFakeParts, createFakeTool, finishes, says, thinks } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { gist } from './test-support/parse-frames.ts'
import { user, usingDoor } from './test-support/using-door.ts'

const rig = usingDoor(createFakeParts)
const { open, turn, streamed, refusal } = rig

const PNG = 'data:image/png;base64,iVBORw0KGgo='

describe('version 3', () => {
  it('answers a turn in each of its three modes', async () => {
    const session = await open()
    const step = [thinks('hm'), says('Hel'), says('lo'), finishes()]
    rig.door.model.push(step, step, step)
    expect(await turn(session, { messages: user('hi') })).toEqual({
      stopReason: 'end_turn',
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'Hello' },
          ],
        },
      ],
    })
    expect(gist(await streamed(session, { messages: user('hi'), stream: 'delta' }))).toEqual([
      { event: 'turn_start' },
      { event: 'thinking_delta', delta: 'hm' },
      { event: 'text_delta', delta: 'Hello' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
    expect(gist(await streamed(session, { messages: user('hi'), stream: 'message' }))).toEqual([
      { event: 'turn_start' },
      { event: 'thinking', thinking: 'hm' },
      { event: 'text', text: 'Hello' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
  })

  it('sends turn_start before the model answers', async () => {
    const session = await open()
    const gate = Promise.withResolvers<void>()
    rig.door.model.push([() => gate.promise, says('late'), finishes()])
    const reply = await rig.door.send('POST', `${session}/turns`, { body: { messages: user('hi'), stream: 'delta' } })
    await reply.until('event: turn_start')
    expect(reply.soFar).not.toContain('text_delta')
    gate.resolve()
    expect((await reply.frames()).map(({ event }) => event)).toEqual(['turn_start', 'text_delta', 'turn_stop'])
  })

  it('plays a permission round trip: ask, grant, run, continue', async () => {
    const tool = createFakeTool('write', { effect: 'unsafe' })
    const session = await open({ tools: [tool] }, { agent: { name: 'tester', tools: [{ name: 'write' }] } })
    rig.door.model.push([calls('w', 'write', { path: 'a' }), finishes('tool-calls')])
    expect(await turn(session, { messages: user('write') })).toMatchObject({ stopReason: 'tool_use' })
    expect(tool.invocations).toEqual([])
    const grant = { messages: [{ role: 'tool_permission', toolCallId: 'w', granted: true }], stream: 'delta' }
    expect(gist(await streamed(session, grant))).toEqual([
      { event: 'turn_start' },
      { event: 'tool_result', toolCallId: 'w', content: 'write ran' },
      { event: 'text_delta', delta: 'done' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
    expect(await refusal('POST', `${session}/turns`, { body: grant })).toMatch(/^409 messages\[0\]\.toolCallId: /)
    expect(tool.invocations).toHaveLength(1)
  })

  it('shows a denial as a result, also that of a tool of the client', async () => {
    const tools = [{ name: 'weather', description: '', parameters: {} }]
    const session = await open(
      { tools: [createFakeTool('write')] },
      { agent: { name: 'tester', tools: [{ name: 'write' }] }, tools },
    )
    rig.door.model.push([calls('w', 'write'), calls('c', 'weather'), finishes('tool-calls')])
    await turn(session, { messages: user('go') })
    const deny = (toolCallId: string, reason?: string) => ({
      role: 'tool_permission',
      toolCallId,
      granted: false,
      reason,
    })
    expect(await turn(session, { messages: [deny('w', 'no'), deny('c')] })).toEqual({
      stopReason: 'end_turn',
      messages: [
        { role: 'tool', toolCallId: 'w', content: 'Tool call denied: no' },
        { role: 'tool', toolCallId: 'c', content: 'Tool call denied' },
        { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
      ],
    })
  })

  it('keeps images of every kind of message and gives the same URIs back', async () => {
    const messages = [
      { role: 'system', content: 'look' },
      {
        role: 'user',
        content: [
          { type: 'image', url: PNG },
          { type: 'image', url: 'https://example.org/a.png' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', toolCallId: 'a', name: 'camera', input: {} }] },
      {
        role: 'tool',
        toolCallId: 'a',
        content: [
          { type: 'image', url: PNG },
          { type: 'text', text: 'x' },
        ],
      },
      { role: 'assistant', content: 'a plain string' },
    ]
    const session = await open({}, { messages })
    await turn(session, { messages: user([{ type: 'image', url: PNG }]) })
    const history = (await (await rig.door.send('GET', `${session}/history?type=full`)).json()).history.full
    expect(history.slice(0, 6)).toEqual([...messages, { role: 'user', content: [{ type: 'image', url: PNG }] }])
    expect(rig.door.model.requests[0]?.messages.at(-1)?.content).toMatchObject([
      { source: { type: 'blob', mediaType: 'image/png' } },
    ])
  })

  it('describes agents and sessions without secrets and internals', async () => {
    const hidden = createFakeTool('hidden', { exposed: false })
    const shown = { ...createFakeTool('shown'), parameters: { $schema: 'x', type: 'object' } }
    const options = [
      { type: 'secret', name: 'apiKey', default: 'real-secret' },
      { type: 'select', name: 'model', choices: ['a', 'b'], default: 'a' },
    ] as const
    const tools = [{ name: 'weather', description: '', parameters: { $schema: 'kept' } }]
    const session = await open(
      { tools: [shown, hidden], options },
      { agent: { name: 'tester', options: { apiKey: 's3cret', junk: 'x' } }, tools },
    )
    expect(await (await rig.door.send('GET', '/v3/meta')).json()).toEqual({
      version: 3,
      agents: [
        {
          name: 'tester',
          version: '1.0.0',
          tools: [{ name: 'shown', description: 'the tool shown', parameters: { type: 'object' } }],
          options: [
            { type: 'secret', name: 'apiKey', default: '' },
            { type: 'select', name: 'model', options: ['a', 'b'], default: 'a' },
          ],
          capabilities: {
            history: { compacted: {}, full: {} },
            stream: { delta: {}, message: {}, none: {} },
            application: { tools: {} },
            image: { http: {}, data: {} },
          },
        },
      ],
    })
    expect(await (await rig.door.send('GET', session)).json()).toEqual({
      sessionId: session.slice(13),
      agent: { name: 'tester', options: { apiKey: '***' } },
      tools,
    })
  })

  it('pages through sessions, each exactly once, and the last page has no next', async () => {
    await open()
    for (let more = 0; more < 4; more++)
      await rig.door.send('POST', '/v3/sessions', { body: { agent: { name: 'tester' } } })
    const seen: string[] = []
    let pages = 0
    for (let path: string | undefined = '/v3/sessions'; path !== undefined; pages++) {
      const page = await (await rig.door.send('GET', path)).json()
      seen.push(...page.sessions.map((session: { sessionId: string }) => session.sessionId))
      expect('next' in page).toBe(page.next !== undefined)
      path = page.next === undefined ? undefined : `/v3/sessions?after=${page.next}`
    }
    expect([pages, seen.length, new Set(seen).size]).toEqual([3, 5, 5])
    expect(await refusal('GET', '/v3/sessions?after=nonsense')).toMatch(/^400 after/)
  })

  it('aap 110b: lists the exposed tools of a session of another door, and leaves client tools out', async () => {
    await open({ tools: [createFakeTool('a'), createFakeTool('b', { exposed: false })] })
    const { sessionId } = await rig.door.engine.execute({
      type: 'create-session',
      userId: 'ann' as never,
      agent: 'tester',
      access: { type: 'preset' },
    })
    expect(await (await rig.door.send('GET', `/v3/sessions/${sessionId}`)).json()).toEqual({
      sessionId,
      agent: { name: 'tester', tools: [{ name: 'a' }] },
    })
  })

  it('deletes a session, also in the middle of a turn, and answers as if it had never been', async () => {
    const session = await open()
    rig.door.model.push([says('half'), () => new Promise(() => undefined)])
    const reply = await rig.door.send('POST', `${session}/turns`, { body: { messages: user('hi'), stream: 'delta' } })
    await reply.until('half')
    const deleted = await rig.door.send('DELETE', session, { headers: { 'content-type': 'application/json' } })
    expect([deleted.status, await deleted.text]).toEqual([204, ''])
    expect((await reply.frames()).at(-1)?.data).toMatchObject({ event: 'turn_stop', stopReason: 'error' })
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/history?type=full'],
      ['GET', '/events'],
      ['POST', '/cancel'],
      ['POST', '/turns'],
    ] as const) {
      expect(await refusal(method, session + path, { body: { messages: user('x'), stream: 'delta' } })).toBe(
        '404 there is no such session',
      )
    }
  })
})
