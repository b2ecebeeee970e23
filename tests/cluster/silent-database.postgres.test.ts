// A database that stands still: connections stay open and no byte arrives. Requests of every door are refused in time.
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { BladeClient } from '@polylogue/blade/client'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRestClient } from '../blade/rest-client.ts'
import { connectAcp } from '../console/acp-client.ts'
import { V1, V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { exchangeJson, type Answer } from '../support/http-exchange.ts'
import { call, script } from '../support/script.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startFreezingProxy, type FreezingProxy } from './support/freezing-proxy.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from './support/nodes.ts'

const CONFIG = fileURLToPath(new URL('support/counting-with-root.config.ts', import.meta.url))

let database: ServerDatabase
let proxy: FreezingProxy
let nodes: Nodes

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startFreezingProxy(database.url)
  nodes = await prepareNodes(database.url, CONFIG)
})
afterAll(async () => {
  await nodes.remove()
  proxy.close()
  await database.drop()
})

/** Far more than the few seconds that a node waits, far less than a client. */
const WITHIN_MS = 60_000

it('cluster 38: a database that stands still refuses every request of every door, and hangs up on none', async () => {
  const node = await nodes.start('a', { database: proxy.url, environment: { POLYLOGUE_TEST_ROOT: nodes.folder } })
  const { url, key } = node
  const [v3, v1, blade] = [node.client(V3), node.client(V1), createRestClient({ url, key })]
  const resting = await openSession(v3, { agent: 'counting' })
  const busy = await openSession(v3, { agent: 'counting', tools: COUNTING_TOOLS })
  const run = nodes.counting.nextRun()
  const stream = await busy.stream('delta', script(call('c1', 'linger', { run })))
  stream.finished().catch(() => undefined)
  await nodes.untilRun(run)
  const socket = new BladeClient(io, { url, token: key, transports: ['websocket'] })
  await socket.connect()
  const editor = await connectAcp(url, key, 'counting')
  const { sessionId } = await editor.request('session/new', { cwd: nodes.folder, mcpServers: [] })

  proxy.freeze()
  const frozenAt = performance.now()
  const agent = { name: 'counting' }
  const turn = { messages: [{ role: 'user', content: 'say no' }] }
  const own = (method: string, path: string, body?: object) =>
    exchangeJson<unknown>({
      method,
      url: `${url}/api/polylogue${path}`,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', origin: url },
      body,
    })
  const answers: Readonly<Record<string, Promise<Answer>>> = {
    'AAP 3: new session': v3.create({ agent }),
    'AAP 3: new session with a turn': v3.create({ agent, ...turn }),
    'AAP 3: turn': v3.turn(resting.id, turn),
    'AAP 3: turn of a busy session': v3.turn(busy.id, turn),
    'AAP 3: session': v3.get(resting.id),
    'AAP 3: list': v3.list(),
    'AAP 3: history': v3.send('GET', V3.history(resting.id, 'full')),
    'AAP 3: events': v3.send('GET', `${V3.session(resting.id)}/events?after=0`),
    'AAP 3: delete': v3.remove(resting.id),
    'AAP 3: a key that the node has not seen': node.client(V3, `${key}x`).list(),
    'AAP 1: new session': v1.create({ agent, ...turn }),
    'AAP 1: session': v1.get(resting.id),
    'console: sessions': own('GET', '/sessions'),
    'console: new session': own('POST', '/sessions', { agent: 'counting' }),
    'console: rule': own('POST', '/permissions', { tool: 'count', action: 'allow' }),
    'console: keys': own('GET', '/keys'),
    'Blade: new session': blade.send('POST', '/sessions', {}),
    'Blade: sessions': blade.send('GET', '/sessions'),
    'Blade: messages': blade.send('GET', `/sessions/${resting.id}/messages`),
    'Blade: schedules': blade.send('GET', '/scheduled-tasks'),
    'ACP: a key that the node has not seen': upgrade(`${url}/acp?agent=counting`, `${key}y`),
  }
  const prompt = [{ type: 'text', text: 'say no' }]
  const [sent, prompted, opened] = await Promise.all([
    socket.send(resting.id, 'say no'),
    editor.begin('session/prompt', { sessionId, prompt }),
    editor.begin('session/new', { cwd: nodes.folder, mcpServers: [] }),
  ])
  expect(sent).toMatchObject({ status: 'error', code: 'unavailable' })
  expect(prompted).toMatchObject({ error: { message: expect.stringMatching(/\w+ \w+/) } })
  expect(opened).toMatchObject({ error: { message: expect.stringMatching(/\w+ \w+/) } })
  const seen = await Promise.all(
    Object.entries(answers).map(async ([what, answer]) => {
      const told = await answer.then(
        ({ status, headers, text }) =>
          `${status}, ${headers['retry-after'] === undefined ? 'never again' : 'later'}, ${/\w+ \w+/.test(text) ? 'a sentence' : text}`,
        String,
      )
      return `${what}: ${told}`
    }),
  )
  expect(seen).toEqual(Object.keys(answers).map((what) => `${what}: 503, later, a sentence`))
  expect(performance.now() - frozenAt).toBeLessThan(WITHIN_MS)
  socket.close()
  editor.close()
}, 120_000)

/** A request to change the protocol that is refused, with its answer. */
function upgrade(url: string, key: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...{ connection: 'Upgrade', upgrade: 'websocket', authorization: `Bearer ${key}` },
      ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
    }
    const outgoing = request(url, { agent: false, headers })
    outgoing.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => void (text += part))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: undefined }),
      )
    })
    outgoing.on('upgrade', () => reject(new Error('the connection was upgraded')))
    outgoing.on('error', reject)
    outgoing.end()
  })
}

it(
  'cluster 38: a node that is told to stop ends, although the database stands still',
  { timeout: 120_000 },
  async () => {
    const silent = await startFreezingProxy(database.url)
    const environment = { POLYLOGUE_TEST_ROOT: nodes.folder }
    const node = await nodes.start('b', { database: silent.url, environment })
    silent.freeze()
    const askedAt = performance.now()
    expect(await node.stop()).toBe(0)
    // Supervisors kill after 40 seconds.
    expect(performance.now() - askedAt).toBeLessThan(40_000)
    silent.close()
  },
)
