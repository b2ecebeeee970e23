import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { sleepThroughTurn } from './sleeping-client.ts'

const SLEEP_MS = 90_000
const SCRIPTS = ['say good morning', 'tokens 20000', 'tokens 100000', 'think 🌙\nsleep 60000\nsay still here ☀️']

it('a client that reads nothing for 90 seconds has it all in the end', async () => {
  const seconds = startStopwatch()
  const dir = await createTempDir()
  const server = await startServerProcess({ dataDir: dir.path })
  const turns = await Promise.all(SCRIPTS.map((script) => sleepThroughTurn(server, script, () => delay(SLEEP_MS))))
  await server.stop()
  await dir.remove()
  const failed = turns.filter(({ told, stored }) => !isDeepStrictEqual(told, stored))
  tellProof({
    id: 'F9',
    what: 'clients that read nothing for 90 seconds: short and long answers, finished or still running when they wake',
    count: turns.length,
    failures: failed.length,
    seed: '–',
    seconds: seconds(),
  })
  expect(failed).toEqual([])
  expect(turns.map(({ connections }) => connections > 1)).toContain(true)
})
