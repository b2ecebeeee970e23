// The same scenarios through every door. Each play has all doors watch live, and read the session at its end.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTempDir } from '../support/temp-dir.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { hasLimit } from './compare-accounts.ts'
import { describeDifference } from './describe-difference.ts'
import type { DoorDriver } from './driver.ts'
import { consoleDriver } from './drivers/console.ts'
import { ACTORS, DRIVERS, PAIRS } from './drivers.ts'
import { startFaultProxy } from './fault-proxy.ts'
import { Matrix } from './matrix.ts'
import { playScenario, type Difference } from './play-scenario.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'
import { waitFor } from './wait-for.ts'

const configFile = fileURLToPath(new URL('doors.config.ts', import.meta.url))
const page = fileURLToPath(new URL('../../docs/equivalence.md', import.meta.url))
const matrix = new Matrix(DRIVERS, SCENARIOS)

let server: TestServer
let dir: Awaited<ReturnType<typeof createTempDir>>
beforeAll(async () => {
  dir = await createTempDir()
  server = await startTestServer({ configFile })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

interface Cast {
  readonly first: DoorDriver
  readonly second?: DoorDriver
}

async function play(scenario: Scenario, { first, second = first }: Cast): Promise<readonly string[]> {
  const playing = { server, url: () => server.url, workDir: dir.path, drivers: DRIVERS, first, second }
  const differences = await playScenario(scenario, playing)
  matrix.add(scenario, differences)
  return differences.map(describeDifference)
}

const scenarioNamed = (name: string): Scenario => SCENARIOS.find((scenario) => scenario.name === name) as Scenario

describe.each(SCENARIOS)('$name', (scenario) => {
  it.each(ACTORS)('is the same at every door when a client of $name plays it', async (first) => {
    expect(await play(scenario, { first })).toEqual([])
  })

  const [first, second] = PAIRS[SCENARIOS.indexOf(scenario) % PAIRS.length] as (typeof PAIRS)[number]
  it(`is the same when it begins with ${first.name} and continues with ${second.name}`, async () => {
    expect(await play(scenario, { first, second })).toEqual([])
  })
})

describe('a change of the wire', () => {
  const faults = [
    { what: 'a text', find: 'Hello', put: 'Hallo', scenario: 'plain' },
    { what: 'an input', find: 'three', put: 'thre3', scenario: 'parallel mixed tools' },
    { what: 'a result', find: 'found', put: 'f0und', scenario: 'sub-agent' },
  ]
  it.each(DRIVERS.flatMap((door) => faults.map((fault) => [fault.what, door.name, fault, door] as const)))(
    'in %s turns the cell of %s red, and no other',
    async (_what, _name, { scenario, ...fault }, door) => {
      const proxy = await startFaultProxy(server.url, fault)
      const faulty: DoorDriver = { ...door, connect: (world) => door.connect({ ...world, url: proxy.url }) }
      const drivers = DRIVERS.map((driver) => (driver === door ? faulty : driver))
      const first = ACTORS.find((driver) => driver !== door) as DoorDriver
      // Only the faulty door never sends what is expected.
      const withinMs = (driver: DoorDriver) => (driver === faulty ? 300 : undefined)
      const playing = { server, url: () => server.url, workDir: dir.path, drivers, first, second: first, withinMs }
      const differences: readonly Difference[] = await playScenario(scenarioNamed(scenario), playing)
      await proxy.stop()
      expect([...new Set(differences.map((difference) => difference.door))]).toEqual([door.name])
    },
  )
})

describe('a setting', () => {
  /** A model with levels of thinking. No turn runs with it. */
  const THINKER = { model: 'openai/gpt-5.2' }
  const changed = [
    ['model', 'lab/small'],
    ['mode', 'plan'],
    ['thinking', 'high'],
  ] as const
  it.each(
    changed.flatMap(([name, value]) =>
      DRIVERS.filter((door) => !hasLimit(door, name) && !hasLimit(door, `changes of the ${name}`)).map(
        (door) => [name, door.name, value, door] as const,
      ),
    ),
  )('%s that is changed with %s shows at every door that has it', async (name, _door, value, door) => {
    const world = { url: server.url, key: server.key, agent: 'doors', workDir: dir.path }
    const doors = await Promise.all(DRIVERS.map(async (driver) => [driver, await driver.connect(world)] as const))
    const of = (driver: DoorDriver) => (doors.find(([known]) => known === driver) as (typeof doors)[number])[1]
    const id = await of(ACTORS.at(-1) as DoorDriver).create()
    const shows = doors.filter(([driver]) => !hasLimit(driver, name))
    for (const [driver, open] of shows) if (!hasLimit(driver, 'live')) await open.watch(id)
    if (name === 'thinking' && door.name === 'ACP') await of(consoleDriver).change(id, THINKER)
    await of(door).change(id, { [name]: value })
    // A level shows where the model has it.
    if (name === 'thinking') await of(consoleDriver).change(id, THINKER)
    for (const [driver, open] of shows) {
      const told = async () => (await open.settings(id))[name]
      await waitFor(async () => (await told()) === value)
      expect([driver.name, await told()]).toEqual([driver.name, value])
    }
    for (const [, open] of doors) open.close()
  })
})

it('a driver has at most 150 lines', async () => {
  for (const name of ['aap', 'acp', 'blade', 'console']) {
    const text = await readFile(new URL(`drivers/${name}.ts`, import.meta.url), 'utf8')
    expect([name, text.split('\n').length <= 151]).toEqual([name, true])
  }
})

it('the page shows the matrix of this run', async () => {
  process.stdout.write(`${matrix.toMarkdown()}\n`)
  expect(await readFile(page, 'utf8')).toContain(matrix.toMarkdown())
})
