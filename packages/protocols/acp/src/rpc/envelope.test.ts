import { calls, createFakeParts, createFakeTool, finishes, hangs, loadAcpFrameChecker, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

/** What comes back for one line. */
async function answerTo(line: string) {
  const { client } = await open().connect()
  await client.sendText(`${line}\n`)
  return client.until((frame) => frame.error !== undefined)
}

describe('framing and envelope', () => {
  it('acp 1: a line that is not JSON is a parse error, and the connection stays open', async () => {
    const { client } = await open().connect()
    await client.sendText('{"jsonrpc": nonsense\n')
    expect(await client.until(({ error }) => error !== undefined)).toMatchObject({ id: null, error: { code: -32700 } })
    expect(await client.result('session/list', {})).toEqual({ sessions: [] })
  })

  it('acp 2: a batch of requests gets one answer, an error without an id', async () => {
    const { client } = await open().connect()
    await client.sendText(
      '[{"jsonrpc":"2.0","id":1,"method":"session/list"},{"jsonrpc":"2.0","id":2,"method":"session/list"}]\n',
    )
    await client.result('session/list', {})
    expect(client.frames.filter(({ error }) => error !== undefined)).toMatchObject([
      { id: null, error: { code: -32600 } },
    ])
  })

  it.each(['7', '"text"', 'null', 'true'])('acp 3: %s is not a frame', async (line) => {
    expect(await answerTo(line)).toMatchObject({ id: null, error: { code: -32600 } })
  })

  it.each([
    '{"id":7,"method":"session/list"}',
    '{"jsonrpc":"1.0","id":7,"method":"session/list"}',
    '{"jsonrpc":"2.0","id":7,"method":5}',
    '{"jsonrpc":"2.0","id":7,"method":""}',
  ])('acp 4: %s is answered with its id', async (line) => {
    expect(await answerTo(line)).toMatchObject({ id: 7, error: { code: -32600 } })
  })

  it('acp 4: an invalid id is not repeated', async () => {
    expect(await answerTo('{"jsonrpc":"2.0","id":{"a":1},"method":"session/list"}')).toMatchObject({ id: null })
  })

  it('acp 5: an id alone is answered with that id', async () => {
    expect(await answerTo('{"jsonrpc":"2.0","id":"x"}')).toMatchObject({ id: 'x', error: { code: -32600 } })
  })

  it('acp 6: blank lines and CRLF are tolerated', async () => {
    const { client } = await open().connect()
    await client.sendText('\n\r\n  \n{"jsonrpc":"2.0","id":"crlf","method":"session/list","params":{}}\r\n\n')
    expect(await client.until(({ id }) => id === 'crlf')).toHaveProperty('result')
    expect(client.frames.filter(({ error }) => error !== undefined)).toEqual([])
  })

  it('acp 7: a chunk of input may hold several frames, and a frame may span several chunks', async () => {
    const { client } = await open().connect()
    const frame = (id: string) =>
      `{"jsonrpc":"2.0","id":"${id}","method":"session/list","params":{"_meta":{"x":"é😀"}}}\n`
    await client.sendText(frame('a') + frame('b'))
    for (const byte of Buffer.from(frame('c'))) await client.sendText(Buffer.from([byte]))
    for (const id of ['a', 'b', 'c']) expect(await client.until((one) => one.id === id)).toHaveProperty('result')
  })

  it('acp 7: a last frame needs no newline', async () => {
    const { client } = await open().connect()
    await client.sendText('{"jsonrpc":"2.0","id":"last","method":"session/list","params":{}}')
    await client.leave()
    expect(client.frames.find(({ id }) => id === 'last')).toHaveProperty('result')
  })

  it('acp 8: an unknown request gets an error, and an unknown notification gets no answer', async () => {
    const { client } = await open().connect({ capabilities: null })
    client.notify('session/dance', {})
    client.notify('_x/y', {})
    expect(await client.error('session/dance', {})).toMatchObject({ code: -32601, data: { method: 'session/dance' } })
    expect(await client.error('_x/y', {})).toMatchObject({ code: -32601 })
    expect(client.frames).toHaveLength(2)
  })

  it('acp 9: a notification that fails produces no frame', async () => {
    const { client } = await open().connect()
    for (const params of [undefined, 7, {}, { sessionId: 5 }, { sessionId: 'unknown' }])
      client.notify('session/cancel', params)
    await client.result('session/list', {})
    expect(client.frames).toHaveLength(2)
  })

  it('acp 11: text in any script passes unchanged, even if the model splits a character', async () => {
    const world = open()
    const text = 'Zażółć 漢字 👩‍👩‍👧 \u2028 "\\ \u0000'
    const at = text.indexOf('\ud83d') + 1
    world.model.push([says(text.slice(0, at)), says(text.slice(at)), finishes()])
    const { client, newSession, say } = await world.connect()
    await say(await newSession(), text)
    expect(client.text()).toBe(text)
    const halves = client.updates().filter((update) => /\\ud[89a-f]/.test(JSON.stringify(update)))
    expect(halves).toEqual([])
    expect(JSON.stringify(world.model.requests[0]?.messages)).toContain(JSON.stringify(text).slice(1, -1))
  })

  it('acp 12: an answer without a request is ignored', async () => {
    const { client } = await open().connect()
    client.send({ jsonrpc: '2.0', id: 4711, result: {} })
    client.send({ jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'no' } })
    await client.result('session/list', {})
    expect(client.frames).toHaveLength(2)
  })

  it.each(['a text', 12, 0, -1])('acp 13: the id %j is returned unchanged', async (id) => {
    const { client } = await open().connect()
    expect((await client.call('session/list', {}, id)).id).toBe(id)
  })

  it('acp 14: a running prompt blocks nothing', async () => {
    const world = open()
    world.model.push([() => hangs()])
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const answered = say(sessionId, 'think long')
    expect(await client.result('session/list', {})).toHaveProperty('sessions')
    client.notify('session/cancel', { sessionId })
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
  })

  it('acp 14: an open permission request blocks nothing', async () => {
    const world = open({ tools: [createFakeTool('write', { effect: 'unsafe' })] })
    world.model.push([calls('c1', 'write'), finishes('tool-calls')])
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const answered = say(sessionId, 'write')
    await client.untilRequest('session/request_permission')
    expect(await client.result('session/list', {})).toHaveProperty('sessions')
    client.notify('session/cancel', { sessionId })
    await answered
  })

  it('acp 15: no error repeats the input of a client', async () => {
    const secret = 'sk-very-secret'
    const world = open()
    const { client, newSession } = await world.connect()
    const sessionId = await newSession()
    const bad: [string, object][] = [
      ['session/set_config_option', { sessionId, configId: 'model', value: 'openai/x', apiKey: secret }],
      ['session/set_config_option', { sessionId, configId: 'model', value: 'openai/x', _meta: { key: secret } }],
      ['session/set_config_option', { sessionId, configId: secret, value: 'x' }],
      ['_agentao.cn/set_model', { sessionId, model: 'x', apiKey: secret }],
      ['session/new', { cwd: secret, mcpServers: [] }],
      ['session/new', { cwd: world.cwd, mcpServers: [{ name: 'x', command: 'y', env: { KEY: secret } }] }],
      ['session/new', { cwd: world.cwd, mcpServers: [{ name: 'x', type: secret }] }],
      ['session/prompt', { sessionId, prompt: [{ type: secret }] }],
      ['session/prompt', { sessionId, prompt: secret }],
    ]
    for (const [method, params] of bad) expect(JSON.stringify(await client.error(method, params))).not.toContain(secret)
    await client.sendText(`{"apiKey":"${secret}"\n{"jsonrpc":"2.0","apiKey":"${secret}"}\n`)
    await client.result('session/list', {})
    expect(JSON.stringify(client.frames)).not.toContain(secret)
    expect(JSON.stringify(world.logged)).not.toContain(secret)
  })

  const withParams = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"session/list","params":${params}}`

  it.each([
    ['values', withParams(`{"_meta":{"a":[${'{},'.repeat(500_000)}{}]}}`)],
    ['keys', withParams(`{"_meta":[${'{"a":0},'.repeat(10_000)}{}]}`)],
    ['digits in a number', withParams(`{"_meta":{"a":${'1'.repeat(65)}}}`)],
    ['characters in a key', withParams(`{"_meta":{"${'k'.repeat(1025)}":0}}`)],
  ])('a frame with too many %s is refused before it is parsed', async (_what, line) => {
    expect(await answerTo(line)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: expect.stringMatching(/^invalid request: .*more than [\d,]+ /) },
    })
  })

  it('a frame may have many values and long texts', async () => {
    const { client } = await open().connect()
    const text = `\\",:[{1`.repeat(300_000)
    const list = Array.from({ length: 100_000 }, () => -1.5e3)
    expect(await client.result('session/list', { _meta: { text, list, escaped: '"\\' } })).toEqual({ sessions: [] })
  })

  it('an id or a method that is too long is refused and not repeated', async () => {
    const long = 'x'.repeat(256)
    const refused = { jsonrpc: '2.0', id: null, error: { code: -32600 } }
    expect(await answerTo(`{"jsonrpc":"2.0","id":"${long}","method":"session/list"}`)).toMatchObject(refused)
    expect(await answerTo(`{"jsonrpc":"2.0","id":"${long}","method":5}`)).toMatchObject(refused)
    const answer = await answerTo(`{"jsonrpc":"2.0","id":3,"method":"${long}"}`)
    expect(answer).toMatchObject({ id: 3, error: { code: -32600 } })
    expect(JSON.stringify(answer)).not.toContain(long)
    const { client } = await open().connect()
    expect(await client.call('session/list', {}, 'y'.repeat(255))).toHaveProperty('result')
  })

  it('a frame that nests too deep is refused, one that is too long ends the connection', async () => {
    const world = open({ limits: { frameBytes: 1_000 } })
    const { client, connection } = await world.connect()
    await client.sendText(`{"jsonrpc":"2.0","id":1,"x":${'['.repeat(70)}${']'.repeat(70)}}\n`)
    expect(await client.until(({ error }) => error !== undefined)).toMatchObject({ error: { code: -32600 } })
    await client.sendText('x'.repeat(1_001))
    await connection.closed
    expect(client.isEnded).toBe(true)
  })
})
