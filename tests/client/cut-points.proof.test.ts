import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { converseWithCut, findDifferences, followWithCut } from './cut-points.ts'
import { startCutProxy } from './cut-proxy.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const EVERY_BYTE = Array.from({ length: 4 * 1024 }, (_, at) => at + 1)

it.each([3, 1] as const)(
  'AAP version %s: every cut of 4 KiB of events leads to what the server has',
  async (version) => {
    expect(await findDifferences(EVERY_BYTE, (cutAfter) => converseWithCut(server, version, cutAfter))).toEqual([])
  },
)

it('Blade: every cut of the first 4 KiB leads to what the server has', async () => {
  const differences = await findDifferences(EVERY_BYTE, async (cutAfter) => {
    const proxy = await startCutProxy(server.url)
    try {
      return await followWithCut(server, proxy, cutAfter)
    } finally {
      await proxy.stop()
    }
  })
  expect(differences).toEqual([])
})
