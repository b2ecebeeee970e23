import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAapClient, type AapClient } from '../support/aap-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { script } from '../support/script.ts'
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
    const session = await openSession(client, { agent: 'counting' })
    // The model is silent between its words, and says nothing more after the last one.
    const pauses = [1_000, 500, 1_000, 600_000]
    const words = ['one', 'two', 'three', 'four'].flatMap((word, index) => [`say ${word}`, `sleep ${pauses[index]}`])
    const own = await session.stream('delta', script(...words))
    void own.finished().catch(() => undefined)
    // Some at each node.
    const load = () => Promise.all(Array.from({ length: 4 }, () => client.events(session.id, '?after=0')))
    for (const stream of await load()) {
      await stream.untilText('one\n')
      stream.cut()
    }
    // Nobody reads now at the node that does not run the turn.
    await own.untilText('one\ntwo\nthree\n')
    const loadedAt = performance.now()
    const streams = await load()
    await Promise.all(streams.map((stream) => stream.untilText('one\ntwo\nthree\n')))
    await own.untilText('one\ntwo\nthree\nfour')
    await Promise.all(streams.map((stream) => stream.untilText('one\ntwo\nthree\nfour')))
    // The model has waited for one second. A node that gets no messages asks after five.
    expect(performance.now() - loadedAt).toBeLessThan(4_000)
    expect((await client.cancel(session.id)).status).toBeLessThan(300)
    const read = await Promise.all(streams.map((stream) => stream.finished()))
    for (const frames of read) {
      expect(textOf(frames)).toBe('one\ntwo\nthree\nfour')
      expect(frames.at(-1)).toMatchObject({ event: 'turn_stop', data: read[0]?.at(-1)?.data })
    }
    expect(JSON.stringify(await attachSession(client, session.id).history())).toContain('one\\ntwo\\nthree\\nfour')
  })
})
