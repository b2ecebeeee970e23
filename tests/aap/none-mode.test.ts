import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { inBlocks } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

describe.each(DIALECTS)('turns without a stream at $base', (dialect) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)
  const clientTools = [dialect.tool('weather', 'Tells the weather', SCHEMA)]

  it(`aap 63${mark}: the answer is 200, application/json and {stopReason, messages}`, async () => {
    const session = await openSession(client())
    const body = { messages: [{ role: 'user', content: 'say hello world' }], stream: 'none' }
    const answer = await client().turn(session.id, body)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(Object.keys(answer.body).toSorted()).toEqual(['messages', 'stopReason'])
    expect(answer.body.stopReason).toBe('end_turn')
    expect(inBlocks(answer.body.messages)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'hello world' }] },
    ])
  })

  it(`aap 64${mark}: messages never repeats the request's own user message or client tool results`, async () => {
    const session = await openSession(client(), { tools: [{ name: 'echo', trust: true }], clientTools })
    const first = await session.turn(
      script('say asking', call('w1', 'weather', { city: 'Oslo' }), call('e1', 'echo', { msg: 'server' })),
    )
    expect(first.stopReason).toBe('tool_use')
    expect(first.messages.map(({ role }) => role)).toEqual(['assistant', 'tool'])
    expect(first.messages[1]).toEqual({ role: 'tool', toolCallId: 'e1', content: 'server' })

    const second = await session.turn([{ role: 'tool', toolCallId: 'w1', content: 'rain' }])
    expect(second.stopReason).toBe('end_turn')
    expect(second.messages.map(({ role }) => role)).toEqual(['assistant'])
  })

  it(`aap 65${mark}: a trusted tool turn returns assistant with tool_use, tool, assistant`, async () => {
    const session = await openSession(client(), { tools: [{ name: 'echo', trust: true }] })
    const answer = await session.turn(
      script('think should I', 'say I look', call('t1', 'echo', { msg: 'found' }), NEXT, 'say there it is'),
    )
    expect(answer.stopReason).toBe('end_turn')
    expect(inBlocks(answer.messages)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'should I' },
          { type: 'text', text: 'I look' },
          { type: 'tool_use', toolCallId: 't1', name: 'echo', input: { msg: 'found' } },
        ],
      },
      { role: 'tool', toolCallId: 't1', content: 'found' },
      { role: 'assistant', content: [{ type: 'text', text: 'there it is' }] },
    ])
  })

  it(`aap 66${mark}: after a grant the list begins with the tool message`, async () => {
    const session = await openSession(client(), { tools: [{ name: 'echo' }] })
    expect((await session.turn(script(call('g1', 'echo', { msg: 'allowed' }), NEXT, 'say thanks'))).stopReason).toBe(
      'tool_use',
    )
    const answer = await session.turn([{ role: 'tool_permission', toolCallId: 'g1', granted: true }])
    expect(answer.stopReason).toBe('end_turn')
    expect(inBlocks(answer.messages)).toEqual([
      { role: 'tool', toolCallId: 'g1', content: 'allowed' },
      { role: 'assistant', content: [{ type: 'text', text: 'thanks' }] },
    ])
  })

  it(`aap 67${mark}: a model failure is 200 with stopReason error, the completed steps and a sentence`, async () => {
    const session = await openSession(client(), { tools: [{ name: 'echo', trust: true }] })
    const failing = (id: string): string => script(call(id, 'echo', { msg: 'done before' }), NEXT, 'say half a', 'fail')
    const { status, body } = await client().turn(session.id, { messages: [{ role: 'user', content: failing('f1') }] })
    expect(status).toBe(200)
    expect(body.stopReason).toBe('error')
    expect(inBlocks(body.messages).slice(0, 2)).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'tool_use', toolCallId: 'f1', name: 'echo', input: { msg: 'done before' } }],
      },
      { role: 'tool', toolCallId: 'f1', content: 'done before' },
    ])
    expect(body.error).toEqual(expect.objectContaining({ message: expect.stringMatching(/\w+ \w+/) }))
    expect(body.error?.message).not.toMatch(/\bat .*:\d+:\d+|node_modules|\/src\//)

    for (const mode of ['delta', 'message', 'none'] as const) {
      const played = await session.play(mode, failing(`f-${mode}`))
      expect(played.stopReason).toBe('error')
      expect(played.results).toEqual([{ toolCallId: `f-${mode}`, content: 'done before' }])
    }
  })
})
