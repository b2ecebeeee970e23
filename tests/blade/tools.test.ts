// The agent's own tools as clients of Blade see them, on a whole server.
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { connectLive } from './live-client.ts'
import { type RestClient, createRestClient } from './rest-client.ts'

const [ONCE, ALWAYS] = [0, 1]

let server: TestServer
let rest: RestClient

beforeAll(async () => {
  server = await startTestServer()
  rest = createRestClient(server)
})
afterAll(() => server.stop())

async function open() {
  const live = await connectLive({ url: server.url, token: server.key })
  const id = await rest.create({ solution_id: 'scripted' })
  /** Runs a script and allows what it asks for. */
  const run = async (script: string, option = ONCE): Promise<void> => {
    let ends = live.told.filter(({ event }) => event === 'chat:end').length
    await live.client.send(id, script)
    await live.ends(++ends)
    for (;;) {
      const asked = live.client
        .state(id)
        .turns.flatMap(({ tool_calls }) => tool_calls)
        .find((call) => call.id.startsWith('ask_') && call.status === 'awaiting_answer')
      if (asked === undefined) return
      expect(await live.choose(id, asked.id, option)).toBe('ok')
      await live.ends(++ends)
    }
  }
  return { ...live, id, run }
}

const bash = (id: string, command: string): string => `call ${id} Bash ${JSON.stringify({ command })}`

describe('a shell command', () => {
  it('blade 68: that prints output for the page shows it there', async () => {
    const { id, run, call, client } = await open()
    const card = { resourceUri: 'https://example.org/map', target: 'preview' }
    const printed = JSON.stringify({ ok: true, _meta: { bridge: { action: 'map.show', payload: [1] }, ui: card } })
    await run(bash('b1', `echo '${printed}'`))
    expect(call(id, 'b1')?.result).toMatchObject({ ok: true, _meta: { bridge: { action: 'map.show' }, ui: card } })
    const turn = client.state(id).turns.find(({ tool_calls }) => tool_calls.some((made) => made.id === 'b1'))
    const shown = turn?.blocks.filter(({ type }) => type === 'tool_bridge' || type === 'tool_ui')
    expect(shown?.map(({ type, content }) => [type, content])).toEqual([
      ['tool_bridge', { action: 'map.show', payload: [1] }],
      ['tool_ui', card],
    ])
  })

  it('has as its result the text that it printed', async () => {
    const { id, run, call } = await open()
    await run(bash('b0', 'echo hello'))
    expect(call(id, 'b0')).toMatchObject({ status: 'done', result: expect.stringContaining('hello') })
  })

  it('blade 90: that runs is gone within two seconds of a stop', async () => {
    const { id, run, call, client, until, ends } = await open()
    await run(bash('warm', 'sleep 0'), ALWAYS)
    const before = (await rest.messages(id)).length
    const seconds = `31.${Math.floor(Math.random() * 1e6)}`
    await client.send(id, bash('b2', `sleep ${seconds}`))
    const processes = (): string => execFileSync('ps', ['-eo', 'args']).toString()
    await eventually(async () => processes().includes(`sleep ${seconds}`) || undefined, 'the command runs')
    const stoppedAt = performance.now()
    await client.stop(id)
    await ends(3)
    await eventually(async () => !processes().includes(`sleep ${seconds}`) || undefined, 'the command is gone')
    expect(performance.now() - stoppedAt).toBeLessThan(2_000)
    await until(() => call(id, 'b2')?.status === 'cancelled')
    expect((await rest.messages(id)).slice(before).at(-1)).toMatchObject({ status: 'interrupted' })
  })

  it('blade 88b: that hides another one is asked about again, whatever was always allowed', async () => {
    const { id, run, client, ends, call } = await open()
    await run(bash('c1', 'touch a'), ALWAYS)
    await client.send(id, bash('c2', 'touch b'))
    await ends(3)
    expect(call(id, 'c2')?.status).toBe('done')
    await client.send(id, bash('c3', 'sh -c "touch c"'))
    await ends(4)
    expect(call(id, 'c3')?.status).toBe('awaiting_answer')
  })
})

describe('a file tool', () => {
  it('blade 62: that writes names the path in the workspace', async () => {
    const { run, told } = await open()
    await run('call w1 Write {"path":"notes/a.md","content":"hi"}')
    const changed = told.flatMap(({ event, payload }) =>
      event === 'workspace:files_changed' ? [payload.file_path] : [],
    )
    expect(changed).toEqual(['notes/a.md'])
  })

  it('blade 110: changes nothing while the agent plans', async () => {
    const { id, client, ends, call, told } = await open()
    await client.send(id, 'call w2 Write {"path":"a.md","content":"hi"}', { mode: 'planning' })
    await ends(1)
    expect(call(id, 'w2')?.status).toBe('error')
    expect(told.filter(({ event }) => event === 'workspace:files_changed')).toEqual([])
  })
})

describe('a memory', () => {
  it('blade 121: that fits is named by the first answer and announced', async () => {
    await rest.send('POST', '/memories', { content: 'The user keeps bees in the garden.' })
    const { run, told } = await open()
    await run('say what about my bees in the garden')
    const [injected] = told.flatMap(({ event, payload }) => (event === 'memory:inject:done' ? [payload] : []))
    expect(injected?.memory_refs).toMatchObject([{ content_preview: 'The user keeps bees in the garden.' }])
    const first = told.find(({ event, payload }) => event === 'turn:end' && payload.role === 'assistant')
    expect(first?.payload).toMatchObject({ turn_id: injected?.turn_id, memory_refs: injected?.memory_refs })
  })
})

describe('what a command prints for the page', () => {
  it('blade 66: is not read by the model', async () => {
    const { id, run, client } = await open()
    const printed = JSON.stringify({ ok: true, _meta: { bridge: { action: 'map.show' } } })
    await run(`${bash('b9', `echo '${printed}'`)}\n---\nshow messages`)
    const shown = client.state(id).turns.at(-1)?.blocks[0]?.content
    const given = JSON.parse(typeof shown === 'string' ? shown : '') as readonly { role: string; content: unknown }[]
    expect(given.findLast(({ role }) => role === 'tool')?.content).toBe('{"ok":true}')
  })
})
