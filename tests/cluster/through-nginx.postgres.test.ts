import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAapClient, type AapClient } from '../support/aap-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { prepareCountingAgent, type CountingAgent } from '../support/counting-agent.ts'
import { eventually } from '../support/eventually.ts'
import { call, script } from '../support/script.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { createTestDatabase } from '../support/test-database.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { startNginx, type StartedNginx } from './support/start-nginx.ts'

let database: ServerDatabase
let counting: CountingAgent
let folder: Awaited<ReturnType<typeof createTempDir>>
let nodes: readonly ServerProcess[] = []
let nginx: StartedNginx | undefined
let client: AapClient

beforeAll(async () => {
  counting = await prepareCountingAgent()
  database = await createTestDatabase()
  folder = await createTempDir()
  nodes = await Promise.all(['a', 'b'].map(startNode))
  nginx = await startNginx(
    folder.path,
    nodes.map(({ url }) => url),
  )
  client = createAapClient({ url: nginx.url, key: nodes[0]!.key, dialect: V3 })
}, 60_000)
afterAll(async () => {
  await nginx?.stop()
  await Promise.all(nodes.map((node) => node.kill()))
  await folder.remove()
  await counting.remove()
  await database.drop()
})

const startNode = (name: string): Promise<ServerProcess> =>
  startServerProcess({
    dataDir: join(folder.path, name),
    startDir: folder.path,
    flags: ['--database', database.url, '--config', counting.configFile],
    environment: { ...counting.environment, POLYLOGUE_SECRET_KEY_FILE: join(folder.path, 'secret.key') },
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
    const run = counting.nextRun()
    const own = await session.stream('delta', script('say Hello', call('c1', 'linger', { run })))
    void own.finished().catch(() => undefined)
    await eventually(async () => ((await counting.timesRun(run)) === 1 ? true : undefined), 'the tool runs')
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
