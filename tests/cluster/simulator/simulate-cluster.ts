/**
 * Several engines on one store and one fake clock, with messages and jobs that are lost, doubled and out of order, nodes that die,
 * freeze and stop, and clients at random nodes. Everything follows from the seed. In the end all faults are mended, and
 * what the clients were told must be true.
 */
import {
  createFakeClock,
  createMemoryCluster,
  createMemoryEventStore,
  createTestIds,
  untilQuiet,
  type MemoryCluster,
} from '@polylogue/testkit'
import { EngineError, type EventStore, type SessionId } from '@polylogue/engine'
import { createRandom, type Random } from './random.ts'
import { SimulatedNode, planNode, type NodePlan, type World } from './simulated-node.ts'
import { readWholeLog } from '../../support/read-whole-log.ts'

export interface SimulationOptions {
  /** Spoils the store, to see whether the simulation notices. */
  readonly plant?: (store: EventStore, random: Random) => EventStore
  readonly nodes?: number
  readonly actions?: number
  /** The longest pause of a model after a word. With seconds, steps outlast leases that are not renewed. */
  readonly wordMs?: number
  /** Called in the end. */
  readonly look?: (cluster: MemoryCluster) => void
}

/** Readers of an idle session notice a lost message after half a minute. */
const HEAL_MS = 32_000
const LONGEST_HEAL_MS = 90_000
const TICK_MS = 50
const HEAL_TICK_MS = 250
const ROOMY: NodePlan = { role: 'all', slots: 1_000 }

/** Runs one seed and returns what went wrong. */
export async function simulateCluster(seed: number, options: SimulationOptions = {}): Promise<readonly string[]> {
  const random = createRandom(seed)
  const clock = createFakeClock()
  const memory = createMemoryEventStore({ clock })
  const cluster = createMemoryCluster(clock)
  const lossy = createFates(random)
  cluster.deliver = lossy
  cluster.deliverJob = lossy
  const store = options.plant?.(memory, random) ?? memory
  const world: World = { random, clock, cluster, store, ids: createTestIds(), runs: [], wordMs: options.wordMs ?? 300 }
  const nodes = Array.from({ length: options.nodes ?? 3 }, () => new SimulatedNode(world, planNode(random)))
  for (const node of nodes) await node.start()
  const simulation = new Simulation(world, nodes)
  for (let action = 0; action < (options.actions ?? 25); action++) {
    simulation.act()
    await simulation.pass(random.below(600))
  }
  const problems = await simulation.judge(memory)
  options.look?.(cluster)
  return problems
}

/** The delays of the copies of each message: 10 % of them are dropped, 10 % doubled, 10 % late, so that others overtake them. */
export function createFates(random: Random): () => readonly number[] {
  return () => {
    const fate = random.next()
    if (fate < 0.1) return []
    if (fate < 0.2) return [0, random.below(100)]
    return [fate < 0.3 ? 1 + random.below(200) : 0]
  }
}

interface Acknowledged {
  readonly sessionId: SessionId
  readonly text: string
}

class Simulation {
  readonly #world: World
  readonly #nodes: SimulatedNode[]
  readonly #sessions: SessionId[] = []
  readonly #acknowledged: Acknowledged[] = []
  readonly #problems: string[] = []
  #said = 0
  /** No node has died, stopped or frozen. */
  #areNodesWell = true

  constructor(world: World, nodes: SimulatedNode[]) {
    this.#world = world
    this.#nodes = nodes
  }

  async pass(ms: number, tickMs = TICK_MS): Promise<void> {
    for (let waited = 0; waited < ms; waited += tickMs) {
      await settle()
      this.#world.clock.advance(tickMs)
    }
    await settle()
  }

  /** Nothing waits for an answer here: a node may be frozen. */
  act(): void {
    const { random } = this.#world
    const node = random.pick(this.#nodes.filter(({ isDead }) => !isDead))
    const sessionId = random.pick(this.#sessions)
    if (node === undefined) return
    const fate = random.below(20)
    if (fate < 4 || sessionId === undefined) this.#create(node)
    else if (fate < 9) this.#say(node, sessionId)
    else if (fate < 11) this.#cancel(node, sessionId)
    else if (fate < 15) void node.read(sessionId)
    else if (fate < 16) this.#replace(node)
    else if (fate < 17) this.#freeze(node)
    else if (fate < 18) for (const each of this.#nodes) each.thaw()
    else if (fate < 19) this.#world.cluster.setUp(false)
    else this.#world.cluster.setUp(true)
  }

  #create(node: SimulatedNode): void {
    const { engine, user } = node.test
    const text = `input ${++this.#said}`
    const access = { type: 'listed', tools: [{ name: 'act', trust: true }] } as const
    engine.execute({ type: 'create-session', userId: user, agent: 'tester', access, input: text }).then(
      ({ sessionId }) => {
        this.#sessions.push(sessionId)
        this.#acknowledged.push({ sessionId, text })
      },
      (error: unknown) => this.#refused(error),
    )
  }

  #say({ test: { engine, user } }: SimulatedNode, sessionId: SessionId): void {
    const content = `input ${++this.#said}`
    engine.execute({ type: 'start-turn', userId: user, sessionId, content, whenRunning: 'queue' }).then(
      () => void this.#acknowledged.push({ sessionId, text: content }),
      (error: unknown) => this.#refused(error),
    )
  }

  #cancel({ test: { engine, user } }: SimulatedNode, sessionId: SessionId): void {
    engine
      .execute({ type: 'cancel-turn', userId: user, sessionId, reason: 'user', dropQueue: false })
      .catch((error: unknown) => this.#refused(error))
  }

  /** A node that stops refuses commands, and a session may be busy. */
  #refused(error: unknown): void {
    if (!(error instanceof EngineError)) this.#problems.push(String(error))
  }

  #freeze(node: SimulatedNode): void {
    this.#areNodesWell = false
    node.freeze()
  }

  /** A node dies or stops in order, and another one starts. */
  #replace(node: SimulatedNode): void {
    this.#areNodesWell = false
    if (this.#world.random.next() < 0.7) node.die()
    else {
      node.thaw()
      void node.test.engine.stop(0).then(() => node.die())
    }
    this.#join(planNode(this.#world.random))
  }

  #join(plan: NodePlan): void {
    const node = new SimulatedNode(this.#world, plan)
    this.#nodes.push(node)
    void node.start()
  }

  async judge(store: EventStore): Promise<readonly string[]> {
    const { cluster, runs } = this.#world
    cluster.deliver = () => [0]
    cluster.deliverJob = () => [0]
    cluster.setUp(true)
    for (const node of this.#nodes) node.thaw()
    // All others may be nodes that run no turns.
    this.#join(ROOMY)
    const problems = this.#problems
    for (let waited = 0; waited < LONGEST_HEAL_MS; waited += HEAL_MS) {
      await this.pass(HEAL_MS, HEAL_TICK_MS)
      if (await this.#areIdle(store)) break
    }
    if (!(await this.#areIdle(store))) problems.push('a turn does not end')
    for (const id of new Set(runs)) {
      const times = runs.filter((run) => run === id).length
      if (times > 1) problems.push(`the unsafe call ${id} ran ${times} times`)
    }
    // It knows nothing but the log.
    const newcomer = new SimulatedNode(this.#world, ROOMY)
    for (const sessionId of this.#sessions) {
      problems.push(...(await this.#judgeLog(store, sessionId)))
      problems.push(...(await this.#compareFolds(newcomer, sessionId)))
    }
    return problems
  }

  /** Every node that has followed the messages sees what the log says. */
  async #compareFolds(newcomer: SimulatedNode, sessionId: SessionId): Promise<readonly string[]> {
    const foldAt = async ({ test: { engine, user } }: SimulatedNode): Promise<string> =>
      JSON.stringify(await engine.readSession(user, sessionId))
    const right = await foldAt(newcomer)
    const folds = await Promise.all(this.#nodes.filter(({ isDead }) => !isDead).map(foldAt))
    return folds.flatMap((fold) => (fold === right ? [] : [`a node sees ${fold}, and the log says ${right}`]))
  }

  async #areIdle(store: EventStore): Promise<boolean> {
    const ends = await Promise.all(
      this.#sessions.map(async (id) => {
        const types = (await readWholeLog(store, id)).map(({ event }) => event.type)
        const count = (type: string): number => types.filter((each) => each === type).length
        return count('turn.started') === count('turn.ended')
      }),
    )
    return ends.every(Boolean)
  }

  async #judgeLog(store: EventStore, sessionId: SessionId): Promise<readonly string[]> {
    const problems: string[] = []
    const log = await readWholeLog(store, sessionId)
    log.forEach(({ seq }, index) => {
      if (seq !== index + 1) problems.push(`${sessionId}: event ${seq} stands at ${index + 1}`)
    })
    const text = JSON.stringify(log)
    for (const known of this.#acknowledged) {
      const isThere = text.includes(`"${known.text}"`)
      if (known.sessionId === sessionId && !isThere) problems.push(`${known.text} was acknowledged and is lost`)
    }
    const types = log.map(({ event }) => event.type)
    if (this.#areNodesWell && types.includes('turn.taken-over'))
      problems.push(`${sessionId}: a turn was taken from a node that is well`)
    for (const node of this.#nodes) {
      for (const { reader } of node.readers.filter((each) => each.sessionId === sessionId)) {
        problems.push(...reader.problems)
        const isComplete = reader.types.length === types.length || node.isDead
        const isRight = reader.types.every((type, index) => types[index] === type)
        if (!isComplete || !isRight) problems.push(`a reader has ${reader.types.length} of ${types.length} events`)
      }
      if (node.isDead) continue
      const { status } = await node.test.engine.readSession(node.test.user, sessionId)
      if (status === 'running') problems.push(`a node takes ${sessionId} for running`)
    }
    return problems
  }
}

async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await untilQuiet()
}
