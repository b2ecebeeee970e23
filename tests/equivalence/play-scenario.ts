import type { TestServer } from '../support/test-server.ts'
import type { Account, Item } from './account.ts'
import { fillIn, hasLimit, isAsExpected, learn, toComparable, type Told } from './compare-accounts.ts'
import type { Door, DoorDriver } from './driver.ts'
import { hashImage } from './hash-image.ts'
import type { Act, Scenario } from './scenarios.ts'
import { waitFor } from './wait-for.ts'

export interface Playing {
  readonly server: TestServer
  /** Where clients connect: the server, or something in between. */
  readonly url: () => string
  /** Where editors work. */
  readonly workDir: string
  readonly drivers: readonly DoorDriver[]
  /** Creates the session and performs the first act. */
  readonly first: DoorDriver
  /** Performs all other acts. */
  readonly second: DoorDriver
  /** How long a door may take to send what is expected. */
  withinMs?(door: DoorDriver): number | undefined
}

/** Where a door differs from the scenario. */
export interface Difference {
  readonly door: string
  readonly where: string
  readonly told: Account
  readonly expected: Account
}

/** Plays a scenario while every door watches, and returns every difference. */
export async function playScenario(scenario: Scenario, playing: Playing): Promise<readonly Difference[]> {
  const { server, drivers, first, second } = playing
  const scene = new Scene(scenario, playing)
  await scene.connect()
  try {
    const id = await scene.door(first).create()
    await scene.watch(id)
    for (const [at, act] of scenario.acts.entries()) {
      if (act.does.type === 'restart') {
        scene.close()
        await server.restart({}, { graceMs: 0 })
        await scene.connect()
        await scene.watch(id)
      } else await perform(scene.door(at === 0 ? first : second), id, { ...act, does: scene.bind(act.does) })
      scene.expect(act)
      await scene.compareLive(`${scenario.name}, act ${at + 1}, live`)
    }
    for (const driver of drivers) await scene.compareRead(driver, id)
    return scene.differences
  } finally {
    scene.close()
  }
}

/** The doors of one run, and what they must have sent so far. */
class Scene {
  readonly differences: Difference[] = []
  readonly #scenario: Scenario
  readonly #playing: Playing
  readonly #learned = new Map<string, string>()
  readonly #items: Item[] = [{ user: 'say ready' }, { text: 'ready' }]
  #state: Act['state'] = 'finished'
  #doors = new Map<DoorDriver, Door>()
  #watched = new Map<DoorDriver, () => Account>()

  constructor(scenario: Scenario, playing: Playing) {
    this.#scenario = scenario
    this.#playing = playing
  }

  async connect(): Promise<void> {
    const { server, url, drivers, workDir } = this.#playing
    const { agent = 'doors' } = this.#scenario
    const world = { url: url(), key: server.key, agent, workDir }
    const opened = drivers.map(async (driver) => [driver, await driver.connect(world)] as const)
    this.#doors = new Map(await Promise.all(opened))
  }

  close(): void {
    for (const door of this.#doors.values()) door.close()
  }

  door(driver: DoorDriver): Door {
    const door = this.#doors.get(driver)
    if (door === undefined) throw new Error(`${driver.name} is not connected`)
    return door
  }

  async watch(id: string): Promise<void> {
    const live = this.#playing.drivers.filter((driver) => !hasLimit(driver, 'live'))
    const watches = live.map(async (driver) => [driver, await this.door(driver).watch(id)] as const)
    this.#watched = new Map(await Promise.all(watches))
  }

  bind(does: Act['does']): Act['does'] {
    return 'callId' in does ? { ...does, callId: this.#learned.get(does.callId) ?? does.callId } : does
  }

  expect({ does, brings, state }: Act): void {
    if (does.type === 'send') {
      const { text, image } = does.message
      this.#items.push({ user: text, ...(image !== undefined && { images: [hashImage(image)] }) })
    }
    this.#items.push(...brings)
    this.#state = state
  }

  async compareLive(where: string): Promise<void> {
    for (const [door, account] of this.#watched) {
      const isSo = (): boolean => this.#isAsExpected(account(), { door, reading: 'live' })
      if (!(await waitFor(isSo, this.#playing.withinMs?.(door))))
        this.#note(account(), where, { door, reading: 'live' })
    }
  }

  async compareRead(door: DoorDriver, id: string): Promise<void> {
    const account = await this.door(door).read(id)
    const told: Told = { door, reading: 'read' }
    if (!this.#isAsExpected(account, told)) this.#note(account, `${this.#scenario.name}, read`, told)
  }

  #isAsExpected(account: Account, told: Told): boolean {
    learn(this.#learned, this.#items, account.items)
    return isAsExpected(this.#comparable(account, told), this.#expected(told), told)
  }

  #note(account: Account, where: string, told: Told): void {
    const [name, comparable] = [told.door.name, this.#comparable(account, told)]
    this.differences.push({ door: name, where, told: comparable, expected: this.#expected(told) })
  }

  #comparable = (account: Account, told: Told): Account => toComparable(account, told, this.#scenario.innerCalls ?? [])

  #expected = (told: Told): Account =>
    this.#comparable({ items: fillIn(this.#items, this.#learned), state: this.#state }, told)
}

function perform(door: Door, id: string, { does }: Act): Promise<void> {
  switch (does.type) {
    case 'send':
      return door.send(id, does.message)
    case 'decide':
      return door.decide(id, does.callId, does.isAllowed)
    case 'choose':
      return door.choose(id, does.callId, does)
    default:
      return door.cancel(id)
  }
}
