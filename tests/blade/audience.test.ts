import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { findMistakes, openAudience } from './audience.ts'

const CONFIG = fileURLToPath(new URL('../streams/support/flood.config.ts', import.meta.url))
/** More than are told at once. */
const WATCHERS = 150

it('many watchers of one session, who are told in pieces, are all told the same', async () => {
  const dir = await createTempDir()
  const server = await startServerProcess({ dataDir: dir.path, flags: ['--config', CONFIG] })
  const audience = await openAudience(
    server,
    Array.from({ length: WATCHERS - 1 }, () => 'all' as const),
  )
  await audience.flood({ events: 100, bytes: 40, perSecond: 100 })
  await audience.flood({ events: 100, bytes: 40, perSecond: 100 })
  const turns = await audience.messages()
  const [first, ...others] = audience.sockets
  if (first === undefined) throw new Error('somebody watches')
  for (const socket of others) {
    await eventually(async () => (socket.told.length >= first.told.length ? true : undefined), 'everybody was told')
    expect(findMistakes(socket, first, turns)).toEqual([])
  }
  audience.close()
  await server.stop()
  await dir.remove()
})
