import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { findMistakes, openAudience } from './audience.ts'
import { type RawSocket, openRawSocket } from './raw-socket.ts'
import { createRestClient } from './rest-client.ts'

const CONFIG = fileURLToPath(new URL('../streams/support/flood.config.ts', import.meta.url))
/** More than are told at once. */
const WATCHERS = 150

it('many watchers of one session, served in pieces, all get the same, and no one else does', async () => {
  const dir = await createTempDir()
  const server = await startServerProcess({ dataDir: dir.path, flags: ['--config', CONFIG] })
  const audience = await openAudience(
    server,
    Array.from({ length: WATCHERS - 1 }, () => 'all' as const),
  )
  const stranger = await openStranger(server)
  await audience.flood({ events: 100, bytes: 40, perSecond: 100 })
  await audience.flood({ events: 100, bytes: 40, perSecond: 100 })
  const turns = await audience.messages()
  const [first, ...others] = audience.sockets
  if (first === undefined) throw new Error('somebody watches')
  for (const socket of others) {
    await eventually(async () => (socket.told.length >= first.told.length ? true : undefined), 'everybody was told')
    expect(findMistakes(socket, first, turns)).toEqual([])
  }
  expect(stranger.told).toEqual([])
  stranger.close()
  audience.close()
  await server.stop()
  await dir.remove()
})

/** Somebody who watches a session of their own. */
async function openStranger(server: ServerProcess): Promise<RawSocket> {
  const { url } = server
  const key = await server.createKey('stranger')
  const sessionId = await createRestClient({ url, key }).create({ solution_id: 'flood' })
  return openRawSocket({ url, key, sessionId, manner: 'all' })
}
