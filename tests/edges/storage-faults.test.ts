// A disk that is full or held by somebody else: clear answers, reading and cancelling go on, and so does everything
// when the disk is back.
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAapClient } from '../support/aap-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { bearer, startEdgeServer } from './edge-server.ts'
import { readMetric } from './read-metric.ts'
import { type SmallDiskServer, hasSmallDisks, startOnSmallDisk } from './small-disk-server.ts'

interface Refusal {
  readonly error: string
  readonly code: string
}

const say = (content: string) => ({ messages: [{ role: 'user', content }] })

describe('P15: a full disk', () => {
  it('P15: is refused in words; reading and cancelling continue, and a full disk returns by itself', async () => {
    const server = await startOnSmallDisk()
    onTestFinished(() => server.stop())
    await (hasSmallDisks ? fillTheDisk(server) : fillTheFile(server))
  })

  async function fillTheDisk(server: SmallDiskServer): Promise<void> {
    const client = createAapClient({ url: server.url, key: server.key, dialect: V3 })
    const [quiet, busy] = [await openSession(client), await openSession(client)]
    await quiet.turn('say before')
    const stream = await busy.stream('delta', 'say begun\nsleep 60000')
    await stream.until(({ event }) => event === 'text_delta')
    server.fillDisk()

    const writes = [
      await client.send<Refusal>('POST', `/sessions/${quiet.id}/turns`, { body: say('say x') }),
      await client.send<Refusal>('POST', '/sessions', { body: { agent: { name: 'scripted' } } }),
      await client.send<Refusal>('DELETE', `/sessions/${quiet.id}`),
      await exchangeJson<Refusal>({
        method: 'POST',
        url: `${server.url}/api/polylogue/keys`,
        headers: { ...bearer(server.key), 'content-type': 'application/json' },
        body: { name: 'x' },
      }),
    ]
    for (const { status, body } of writes) {
      expect([status, body.code]).toEqual([507, 'storage-full'])
      expect(body.error).toMatch(/^the disk is full, so nothing can be stored until there is room\.?$/i)
    }
    expect((await client.list()).status).toBe(200)
    expect(await quiet.history()).toMatchObject([{ role: 'user' }, { role: 'assistant' }])
    expect((await client.cancel(busy.id)).status).toBe(202)

    server.makeRoom()
    const rest = await stream.finished()
    expect(rest.at(-1)?.data).toMatchObject({ event: 'turn_stop', cancelled: true })
    expect(await quiet.turn('say after')).toMatchObject({ stopReason: 'end_turn' })
    expect((await attachSession(client, busy.id).turn('say again')).stopReason).toBe('end_turn')
    for (const message of ['the storage fails', 'the storage works again']) {
      await eventually(async () => (server.log.includes(`"msg":"${message}"`) ? true : undefined), message)
    }
  }

  async function fillTheFile(server: SmallDiskServer): Promise<void> {
    const client = createAapClient({ url: server.url, key: server.key, dialect: V3 })
    const busy = await openSession(client)
    const stream = await busy.stream('delta', 'say begun\nsleep 60000')
    await stream.until(({ event }) => event === 'text_delta')
    const refused = await eventually(async () => {
      const body = { agent: { name: 'scripted' }, messages: say('x'.repeat(20_000)).messages }
      const answer = await client.send<Refusal>('POST', '/sessions', { body })
      return answer.status === 201 ? undefined : answer
    }, 'the file has reached its size')
    expect([refused.status, refused.body.code]).toEqual([503, 'storage-unavailable'])
    expect((await client.list()).status).toBe(200)
    expect((await client.cancel(busy.id)).status).toBe(202)
    stream.cut()
  }
})

describe('P15: a database that another program holds', () => {
  it('P15: is 503 with a time to wait; reading and cancelling continue; it returns by itself', async () => {
    const server = await startEdgeServer()
    onTestFinished(() => server.stop())
    const client = server.client()
    const [quiet, busy] = [await openSession(client), await openSession(client)]
    const stream = await busy.stream('delta', 'say begun\nsleep 60000')
    await stream.until(({ event }) => event === 'text_delta')
    const other = new DatabaseSync(join(server.dataDir, 'polylogue.db'))
    other.exec('BEGIN IMMEDIATE')

    const refused = client.send<Refusal>('POST', `/sessions/${quiet.id}/turns`, { body: say('say x') })
    const cancelled = client.cancel(busy.id)
    expect((await client.list()).status).toBe(200)
    expect(await quiet.history()).toEqual([])
    expect((await refused).status).toBe(503)
    expect((await refused).headers['retry-after']).toBe('2')
    expect((await refused).body.code).toBe('storage-busy')
    expect((await cancelled).status).toBe(202)
    expect(await readMetric(server, 'polylogue_storage_faults_total', 'kind="busy"')).toBeGreaterThan(0)

    other.exec('ROLLBACK')
    other.close()
    expect((await stream.finished()).at(-1)?.data).toMatchObject({ event: 'turn_stop', cancelled: true })
    await eventually(async () => {
      const answer = await client.turn(quiet.id, say('say after'))
      return answer.status === 200 ? answer : undefined
    }, 'inputs are taken again')
  })
})
