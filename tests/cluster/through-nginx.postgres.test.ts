import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAapClient, type AapClient } from '../support/aap-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { call, script } from '../support/script.ts'
import { createTestDatabase } from '../support/test-database.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'
import { startNginx, type StartedNginx } from './support/start-nginx.ts'

let database: ServerDatabase
let nodes: Nodes
let nginx: StartedNginx
let client: AapClient

beforeAll(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
  const [a, b] = await Promise.all([nodes.start('a'), nodes.start('b')])
  nginx = await startNginx(nodes.folder, [a.url, b.url])
  client = createAapClient({ url: nginx.url, key: a.key, dialect: V3 })
}, 60_000)
afterAll(async () => {
  await nginx.stop()
  await nodes.remove()
  await database.drop()
})

const textOf = (frames: readonly { event?: string; data: Record<string, unknown> }[]): string =>
  frames.map(({ event, data }) => (event === 'text_delta' ? String(data['delta']) : '')).join('')

describe('two nodes behind nginx, without stickiness', { timeout: 90_000 }, () => {
  it('serve a conversation whose requests alternate between them', async () => {
    const session = await openSession(client, { agent: 'counting' })
    for (let round = 0; round < 6; round++) {
      expect(textOf(await (await session.stream('delta', `say ${round}`)).finished())).toBe(String(round))
    }
    const history = JSON.stringify(await session.history())
    for (let round = 0; round < 6; round++) expect(history).toContain(`"${round}"`)
  })

  it('cluster 49: a page that is reloaded in the middle of an answer shows the text so far, and the rest', async () => {
    const session = await openSession(client, { agent: 'counting', tools: [{ name: 'linger', trust: true }] })
    const run = nodes.counting.nextRun()
    const own = await session.stream('delta', script('say Hello', call('c1', 'linger', { run })))
    void own.finished().catch(() => undefined)
    await nodes.untilRun(run)
    const streams = await Promise.all([client.events(session.id, '?after=0'), client.events(session.id, '?after=0')])
    expect((await client.cancel(session.id)).status).toBeLessThan(300)
    const read = await Promise.all(streams.map((stream) => stream.finished()))
    for (const frames of read) {
      expect(textOf(frames)).toBe('Hello')
      expect(frames.at(-1)).toMatchObject({ event: 'turn_stop', data: read[0]?.at(-1)?.data })
    }
    expect(JSON.stringify(await attachSession(client, session.id).history())).toContain('Hello')
  })
})
