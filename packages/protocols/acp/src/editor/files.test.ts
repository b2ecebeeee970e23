import { asSessionId, type ToolInvocation } from '@polylogue/engine'
import { calls, createFakeParts, createFakeTool, finishes, loadAcpFrameChecker, untilQuiet } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { openRegistry } from '../test-support/open-registry.ts'
import type { ConnectOptions } from '../test-support/open-world.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'
import { ClientError, NO_ANSWER } from '../test-support/wire-client.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))
const FILES = { fs: { readTextFile: true, writeTextFile: true } }
const PATH = '/work/a.txt'

async function openSession(options: ConnectOptions = {}, allowed: Parameters<typeof openRegistry>[0] = {}) {
  const editors = openRegistry(allowed)
  const look = createFakeTool('look', {
    async run({ sessionId, signal }: ToolInvocation) {
      const { reader } = editors.of(sessionId)
      if (reader === undefined) return { content: 'nobody to ask' }
      const text = await reader.read(PATH, signal).catch((error: unknown) => `the disk, for ${String(error)}`)
      return { content: text }
    },
  })
  const put = createFakeTool('put', {
    async run({ sessionId, signal }: ToolInvocation) {
      return { content: (await editors.of(sessionId).writer?.write(PATH, 'new', signal)) ?? 'nobody to ask' }
    },
  })
  const world = open({ tools: [look, put], editors: editors.registry })
  const connected = await world.connect({ capabilities: FILES, ...options })
  const sessionId = await connected.newSession()
  let made = 0
  /** What a call of this tool came to. */
  const use = async (tool: string): Promise<string> => {
    const id = `c${++made}`
    world.model.push([calls(id, tool), finishes('tool-calls')], [finishes()])
    await connected.say(sessionId, 'go')
    const settled = (await world.recorded(sessionId)).findLast((event) => event.type === 'tool-call.settled')
    return settled?.type === 'tool-call.settled' ? String(settled.output) : ''
  }
  return { ...world, ...connected, ...editors, sessionId, use }
}

describe('the files of an editor', () => {
  it('a tool reads the buffer of the client', async () => {
    const { client, sessionId, use } = await openSession()
    client.answer('fs/read_text_file', () => ({ content: 'unsaved\ud800' }))
    expect(await use('look')).toBe('unsaved\ufffd')
    expect(client.requests.map(({ method, params }) => ({ method, params }))).toEqual([
      { method: 'fs/read_text_file', params: { sessionId, path: PATH } },
    ])
  })

  it.each([null, {}])('a write goes to the client, and the answer %j confirms it', async (answer) => {
    const { client, sessionId, use } = await openSession()
    client.answer('fs/write_text_file', () => answer)
    expect(await use('put')).toBe('written')
    expect(client.requests[0].params).toEqual({ sessionId, path: PATH, content: 'new' })
  })

  it.each([-32603, -32000, -32002])(
    'acp finding 10: a write that is answered with the error %i was refused',
    async (code) => {
      const { client, use } = await openSession()
      client.answer('fs/write_text_file', () => Promise.reject(new ClientError(code)))
      expect(await use('put')).toBe('refused')
    },
  )

  it.each([
    ['an error', () => Promise.reject(new ClientError(-32603))],
    ['no such file', () => Promise.reject(new ClientError(-32002))],
    ['an answer without a text', () => ({ content: 7 })],
  ])('after %s the tool gets nothing, and asks again the next time', async (_, answer) => {
    const { client, use } = await openSession()
    client.answer('fs/read_text_file', answer)
    expect(await use('look')).toContain('the disk')
    client.answer('fs/read_text_file', () => ({ content: 'there' }))
    expect(await use('look')).toBe('there')
  })

  it('a client that reports an unknown method is not asked again', async () => {
    const { client, use } = await openSession()
    client.answer('fs/read_text_file', () => Promise.reject(new ClientError(-32601)))
    expect(await use('look')).toContain('the disk')
    expect(await use('look')).toContain('the disk')
    expect(client.requests).toHaveLength(1)
  })

  it('a client that never answers delays two calls by five seconds each and no others', async () => {
    const { client, clock, use } = await openSession()
    client.answer('fs/read_text_file', () => NO_ANSWER)
    for (const count of [1, 2]) {
      const used = use('look')
      const { id } = await client.untilRequest('fs/read_text_file', count)
      clock.advance(5_000)
      expect(await used).toContain('the disk')
      await client.until(({ method, params }) => method === '$/cancel_request' && params.requestId === id)
    }
    expect(await use('look')).toContain('the disk')
    expect(client.requests).toHaveLength(2)
  })

  it('a cancelled turn withdraws the request without waiting for the client', async () => {
    const { client, sessionId, say, model } = await openSession()
    client.answer('fs/read_text_file', () => NO_ANSWER)
    model.push([calls('c1', 'look'), finishes('tool-calls')])
    const answered = say(sessionId, 'go')
    const { id } = await client.untilRequest('fs/read_text_file')
    client.notify('session/cancel', { sessionId })
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    await client.until(({ method, params }) => method === '$/cancel_request' && params.requestId === id)
  })
})

describe('nothing is asked of a client', () => {
  const offers = (options: ConnectOptions, allowed = {}) => openSession(options, allowed)

  it.each([
    ['that did not say it can', { capabilities: {} }],
    ['that says it in words of its own', { capabilities: { fs: { readFile: true }, terminal: 'yes' } }],
    ['in profile seed', { profile: 'seed', capabilities: { ...FILES, terminal: true } }],
    ['without the right', { rights: { stdioMcpServers: false, editorOffers: false } }],
  ] as const)('%s', async (_, options) => {
    const { client, use, registered } = await offers(options)
    expect(registered).toEqual([])
    expect(await use('look')).toBe('nobody to ask')
    expect(client.requests).toEqual([])
  })

  it('that the configuration does not let do it', async () => {
    const capabilities = { ...FILES, terminal: true }
    const files = await offers({ capabilities }, { allowsFiles: false })
    expect(files.registered.map(({ editor }) => Object.keys(editor))).toEqual([['terminals']])
    const terminals = await offers({ capabilities }, { allowsTerminals: false })
    expect(terminals.registered.map(({ editor }) => Object.keys(editor))).toEqual([['reader', 'writer']])
  })

  it('for more than it can', async () => {
    const { registered } = await offers({ capabilities: { fs: { readTextFile: true, writeTextFile: false } } })
    expect(registered.map(({ editor }) => Object.keys(editor))).toEqual([['reader']])
  })
})

describe('an editor is registered', () => {
  it('as at the opening of the session, until it is closed', async () => {
    const { client, sessionId, registered } = await openSession()
    await client.result('initialize', { protocolVersion: 1, clientCapabilities: {} })
    expect(registered).toHaveLength(1)
    await client.result('session/close', { sessionId })
    expect(registered).toEqual([])
  })

  it('until it leaves, after which another one is asked', async () => {
    const { client, sessionId, registered, connect, cwd, of } = await openSession()
    const second = await connect({ capabilities: FILES })
    await second.client.result('session/load', { sessionId, cwd, mcpServers: [] })
    await untilQuiet()
    expect(registered).toHaveLength(2)
    expect(of(asSessionId(sessionId))).toBe(registered[1]?.editor)
    await second.client.leave()
    expect(registered).toHaveLength(1)
    await client.leave()
    expect(registered).toEqual([])
  })

  it('once, even when it reopens the session', async () => {
    const { client, sessionId, registered, cwd } = await openSession()
    await client.result('session/load', { sessionId, cwd, mcpServers: [] })
    await untilQuiet()
    expect(registered).toHaveLength(1)
  })

  it('is dropped when it leaves while it is asked', async () => {
    const { client, sessionId, say, model, registered, recorded } = await openSession()
    client.answer('fs/read_text_file', () => NO_ANSWER)
    model.push([calls('c1', 'look'), finishes('tool-calls')])
    const answered = say(sessionId, 'go')
    await client.untilRequest('fs/read_text_file')
    await client.leave()
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    expect(registered).toEqual([])
    expect((await recorded(sessionId)).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'cancelled' })
  })
})
