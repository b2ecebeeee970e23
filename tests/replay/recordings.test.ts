// Where recordings are stored: with their session, and as part of what its user may store.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { startTestServer } from '../support/test-server.ts'

const KIBIBYTE = 1024

it('a recording counts towards the limit of its user, and its bytes are free when the session is deleted', async () => {
  const dir = await createTempDir()
  const configFile = join(dir.path, 'polylogue.config.json')
  await writeFile(configFile, JSON.stringify({ limits: { userBytes: 170 * KIBIBYTE } }))
  const server = await startTestServer({ startDir: dir.path, configFile })
  onTestFinished(async () => {
    await server.stop()
    await dir.remove()
  })

  /** Stores a message and its answer, 100 KiB in all, recorded or not. Then stores 40 KiB more, before and after a deletion. */
  async function play(user: string, isRecorded: boolean) {
    const key = await server.createKey(user)
    const client = server.client(V3, key)
    const ask = (method: string, path: string, body?: object) =>
      exchangeJson<{ events?: readonly { event: { exchange?: string } }[] }>({
        method,
        url: `${server.url}/api/polylogue/sessions/${path}`,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body }),
      })
    const session = await openSession(client, {})
    await ask('PATCH', `${session.id}/recording`, { on: isRecorded })
    await session.turn(`say ${'x'.repeat(50 * KIBIBYTE)}`)
    const { body } = await ask('GET', `${session.id}/events?limit=1000`)
    const hash = body.events?.flatMap(({ event: { exchange } }) => exchange ?? [])[0]
    const kept = hash === undefined ? undefined : await ask('GET', `${session.id}/recording/${hash}`)
    const more = () => openSession(client, {}).then((other) => other.turn(`say ${'y'.repeat(20 * KIBIBYTE)}`))
    const before = await more().then(
      () => 'stored',
      () => 'refused',
    )
    await client.remove(session.id)
    const gone = await ask('GET', `${session.id}/recording/${hash ?? 'none'}`)
    await more()
    return { kept: kept?.status, before, gone: gone.status }
  }

  expect(await play('anna', false)).toEqual({ kept: undefined, before: 'stored', gone: 404 })
  expect(await play('ben', true)).toEqual({ kept: 200, before: 'refused', gone: 404 })
})
