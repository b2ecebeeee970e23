// A sample of what cut-points.proof.test.ts does with every byte.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { converseWithCut, findDifferences, followWithCut, type Told } from './cut-points.ts'
import { type CutProxy, startCutProxy } from './cut-proxy.ts'
import {
  CUTS,
  converseWithRecording,
  dropFirstResumed,
  recordConversation,
  type RecordedConversation,
} from './recorded-conversation.ts'

let server: TestServer
let proxy: CutProxy

beforeAll(async () => {
  server = await startTestServer()
  proxy = await startCutProxy(server.url)
})
afterAll(async () => {
  await proxy.stop()
  await server.stop()
})

/** No multiple of the length of a frame. */
const STEP = 97

const doors: Record<string, (cutAfter: number) => Promise<Told>> = {
  'AAP version 3': (cutAfter) => converseWithCut(server, 3, cutAfter),
  'AAP version 1': (cutAfter) => converseWithCut(server, 1, cutAfter),
  Blade: (cutAfter) => followWithCut(server, proxy, cutAfter),
}

it.each(Object.keys(doors))(
  '%s: wherever the stream is cut, the client ends with what the server has',
  async (door) => {
    const run = doors[door]
    if (run === undefined) throw new Error(`there is no door ${door}`)
    const whole = await run(Infinity)
    expect(whole.local).toEqual(whole.server)
    expect(whole.bytes).toBeGreaterThan(4 * 1024)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: whole.bytes - 1 }), async (cutAfter) => {
        const { local, server: stored } = await run(cutAfter)
        expect(local).toEqual(stored)
      }),
      { numRuns: 4 },
    )
  },
)

describe.each([3, 1] as const)('a recorded conversation of AAP version %s', (version) => {
  let recorded: RecordedConversation
  beforeAll(async () => {
    recorded = await recordConversation(server, version)
  })

  it.each(CUTS)('cut by %s: the client ends with what the server has', async (cut) => {
    const cuts = Array.from({ length: Math.floor(recorded.bytes / STEP) }, (_, at) => at * STEP + 1)
    expect(await findDifferences(cuts, (after) => converseWithRecording(server, recorded, { cut, after }))).toEqual([])
  })

  it('detects a server that loses an event', async () => {
    const forgetful = dropFirstResumed(recorded)
    const middle = Math.floor(recorded.bytes / 4)
    expect(
      await findDifferences([middle], (after) => converseWithRecording(server, forgetful, { cut: 'error', after })),
    ).toHaveLength(1)
  })
})
