// Every cut point of more than 4 KiB of events. The recorded conversations cover each byte in three ways; the live ones cover
// each byte of Blade and a sixteenth of AAP, against a running server.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { converseWithCut, findDifferences, followWithCut } from './cut-points.ts'
import { startCutProxy } from './cut-proxy.ts'
import { CUTS, converseWithRecording, recordConversation } from './recorded-conversation.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const bytesUpTo = (last: number, step = 1): number[] => Array.from({ length: last / step }, (_, at) => at * step + 1)

const print = (text: string): void => void process.stdout.write(`${text}\n`)

it.each([3, 1] as const)('AAP version %s: the client misses and doubles nothing at any byte', async (version) => {
  const recorded = await recordConversation(server, version)
  expect(recorded.bytes).toBeGreaterThan(4 * 1024)
  for (const cut of CUTS) {
    const cuts = bytesUpTo(recorded.bytes)
    const differences = await findDifferences(cuts, (after) => converseWithRecording(server, recorded, { cut, after }))
    print(`AAP ${version}, ${cut}: ${cuts.length} cuts, ${differences.length} differences`)
    expect(differences).toEqual([])
  }
})

it.each([3, 1] as const)('AAP version %s: the same against a running server', async (version) => {
  const cuts = bytesUpTo(4 * 1024, 16)
  const differences = await findDifferences(cuts, (cutAfter) => converseWithCut(server, version, cutAfter))
  print(`AAP ${version}, live: ${cuts.length} cuts, ${differences.length} differences`)
  expect(differences).toEqual([])
})

it('Blade: the store misses and doubles nothing at any byte of the first 4 KiB', async () => {
  const cuts = bytesUpTo(4 * 1024)
  const differences = await findDifferences(cuts, async (cutAfter) => {
    const proxy = await startCutProxy(server.url)
    try {
      return await followWithCut(server, proxy, cutAfter)
    } finally {
      await proxy.stop()
    }
  })
  print(`Blade, live: ${cuts.length} cuts, ${differences.length} differences`)
  expect(differences).toEqual([])
})
