import { createFakeParts, loadAcpFrameChecker } from '@polylogue/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const METHODS = [
  'initialize',
  'authenticate',
  'session/new',
  'session/load',
  'session/resume',
  'session/list',
  'session/close',
  'session/delete',
  'session/prompt',
  'session/cancel',
  'session/set_mode',
  'session/set_config_option',
  'session/set_model',
  'session/list_models',
  '_agentao.cn/set_model',
  'nobody/knows',
]
const KEYS = [
  'sessionId',
  'cwd',
  'mcpServers',
  'prompt',
  'modeId',
  'configId',
  'value',
  'model',
  'cursor',
  'protocolVersion',
  'clientCapabilities',
  '_meta',
  '__proto__',
  'constructor',
]
/** A refusal names one of these; −32603 would be a bug of ours. */
const REFUSALS = [-32600, -32601, -32602, -32002]

const hostile = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('', '/', '/tmp', 'plan', 'model', 'openai/x', '\u0000', '../..', '😀', '\ud800', 1e308, -0, 2 ** 53),
)
const params = fc.oneof(hostile, fc.dictionary(fc.constantFrom(...KEYS), hostile, { maxKeys: 5 }))

describe('whatever a client sends', () => {
  it('is answered once, by a result or a refusal, and never by a failure', async () => {
    const world = open()
    const { client, newSession } = await world.connect()
    const sessionId = await newSession()
    let sent = 0
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...METHODS), params, fc.boolean(), async (method, given, isKnown) => {
        const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
        const asked = isObject && isKnown ? { cwd: world.cwd, mcpServers: [], ...given, sessionId } : given
        if (asked !== null && isObject && isKnown && (method === 'session/close' || method === 'session/delete')) return
        const id = `h${++sent}`
        const { error } = await client.call(method, asked, id)
        expect([undefined, ...REFUSALS]).toContain(error?.code)
        expect(client.frames.filter((frame) => frame.id === id)).toHaveLength(1)
      }),
      { numRuns: 200 },
    )
    expect(await client.result('session/cancel', { sessionId })).toEqual({})
    expect(world.logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('is parsed the same for any chunking', async () => {
    const world = open()
    const { client } = await world.connect()
    let sent = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(400), { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n', '\n\n'),
        async (texts, cuts, end) => {
          const ids = texts.map(() => `f${++sent}`)
          const bytes = Buffer.from(
            texts
              .map(
                (text, index) =>
                  JSON.stringify({
                    jsonrpc: '2.0',
                    id: ids[index],
                    method: 'session/list',
                    params: { _meta: { text } },
                  }) + end,
              )
              .join(''),
          )
          const at = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length]
          for (const [index, start] of at.slice(0, -1).entries())
            await client.sendText(bytes.subarray(start, at[index + 1]))
          for (const id of ids) expect(await client.until((frame) => frame.id === id)).toHaveProperty('result')
        },
      ),
      { numRuns: 40 },
    )
  })

  it('that is not a frame is answered with an error, and nothing breaks', async () => {
    const world = open()
    const { client } = await world.connect()
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), async (line) => {
        const before = client.frames.length
        await client.sendText(`${line.replaceAll('\n', ' ')}\n`)
        await client.result('session/list', {})
        const answers = client.frames.slice(before, -1)
        for (const { error } of answers) expect([-32700, -32600]).toContain(error.code)
        expect(answers.length).toBeLessThanOrEqual(1)
      }),
      { numRuns: 100 },
    )
  })
})
