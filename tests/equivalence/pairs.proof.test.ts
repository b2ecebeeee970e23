// Every scenario, begun with one door and continued with another, for every pair of doors.
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTempDir } from '../support/temp-dir.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { describeDifference } from './describe-difference.ts'
import { DRIVERS, PAIRS } from './drivers.ts'
import { playScenario } from './play-scenario.ts'
import { SCENARIOS } from './scenarios.ts'

let server: TestServer
let dir: Awaited<ReturnType<typeof createTempDir>>
beforeAll(async () => {
  dir = await createTempDir()
  server = await startTestServer({ configFile: fileURLToPath(new URL('doors.config.ts', import.meta.url)) })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

describe.each(SCENARIOS)('$name', (scenario) => {
  it.each(PAIRS.map(([first, second]) => [first.name, second.name, first, second] as const))(
    'is the same when it begins with %s and continues with %s',
    async (_first, _second, first, second) => {
      const playing = { server, url: () => server.url, workDir: dir.path, drivers: DRIVERS, first, second }
      expect((await playScenario(scenario, playing)).map(describeDifference)).toEqual([])
    },
  )
})
