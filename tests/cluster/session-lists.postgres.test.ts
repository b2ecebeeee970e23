import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectLive } from '../blade/live-client.ts'
import { createRestClient } from '../blade/rest-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'

let database: ServerDatabase
let nodes: Nodes
let a: ServerProcess
let b: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
  ;[a, b] = await Promise.all([nodes.start('a'), nodes.start('b')])
}, 60_000)
afterAll(async () => {
  await nodes.remove()
  await database.drop()
})

describe('the list of a Blade client', { timeout: 60_000 }, () => {
  it('cluster 53: shows what is created, renamed, run and deleted on another node, and nothing of other users', async () => {
    const { client, told, until } = await connectLive({ url: b.url, token: b.key })
    const strange = await connectLive({ url: b.url, token: await b.createKey('otto') })
    const rest = createRestClient({ url: a.url, key: a.key })
    const id = await rest.create({ solution_id: 'scripted', intent: 'First' })
    const of = (event: string) =>
      told.filter(
        (output) => output.event === event && 'session_id' in output.payload && output.payload.session_id === id,
      )
    await until(() => of('session:created').length === 1)
    expect(of('session:created')[0]?.payload).toMatchObject({ intent: 'First' })

    expect((await rest.send('PATCH', `/sessions/${id}`, { intent: 'Second' })).status).toBe(200)
    await until(() => of('session:updated').some(({ payload }) => 'intent' in payload && payload.intent === 'Second'))

    await attachSession(a.client(V3), id).turn('say hello')
    await until(() =>
      of('session:updated').some(({ payload }) => 'status' in payload && payload.status === 'completed'),
    )

    await rest.send('DELETE', `/sessions/${id}`)
    await until(() => of('session:deleted').length === 1)
    expect(of('session:created')).toHaveLength(1)
    expect(strange.told.filter(({ event }) => event.startsWith('session:'))).toEqual([])
    client.close()
  })
})
