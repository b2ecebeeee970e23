import {
  createFakeClock,
  createFakeModel,
  createMemoryCluster,
  createMemoryEventStore,
  createProcessStore,
  createReaderLog,
  createTestEngine,
  finishes,
  hangs,
  says,
  startSession,
  untilQuiet,
  useSession,
  type FakeClock,
  type MemoryCluster,
  type TestSession,
} from '@polylogue/testkit'
import type { LiveBatch } from '@polylogue/engine'

/**
 * Two nodes: one streams an answer and dies, the other continues the turn, and a reader joins at a third one. Returns what
 * is wrong with the numbers of the batches of text, which are the numbers of Blade's patches.
 */
export async function judgeBatchNumbers(seed: number): Promise<readonly string[]> {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const process = createProcessStore(store)
  const cluster = createMemoryCluster(clock)
  const pause = () => new Promise<void>((resolve) => void clock.setTimer(20 + (seed % 50) * 3, resolve))
  const words = Array.from({ length: 1 + (seed % 7) }, (_, index) => `w${index} `)
  const model = createFakeModel([...words.flatMap((word) => [says(word), pause]), hangs])
  const other = createFakeModel([
    ...['once ', 'again ', 'in ', 'full'].flatMap((word) => [says(word), pause]),
    finishes(),
  ])
  let dying = ''
  const join: MemoryCluster['join'] = (id, more) => cluster.join((dying = id), more)
  const one = await startSession({ store: process, clock, model, cluster: { ...cluster, join } })
  const two = useSession(createTestEngine({ store, clock, model: other, cluster }), one.sessionId)
  await one.engine.start()
  await two.engine.start()
  await pass(clock, 6_000)
  const [here, there] = [await readBatches(one), await readBatches(two)]
  await one.say('go')
  // The first node dies while it streams, or after its last word.
  await pass(clock, 100 + (seed % 11) * 50)
  const complaints = compare(here, there)
  if (here.length !== there.length) complaints.push(`${here.length} batches here and ${there.length} on the other node`)
  process.die()
  cluster.cut(dying)
  const before = there.length
  if (before === 0) complaints.push('no text came before the node died')
  const third = useSession(createTestEngine({ store, clock, model: other, cluster }), one.sessionId)
  await third.engine.start()
  const late = await readBatches(third)
  await pass(clock, 10_000)
  complaints.push(
    ...findRepeated(there),
    ...findRepeated(late),
    ...compare(here.slice(0, before), late),
    ...compare(there, late),
  )
  if (there.length === before) complaints.push('no text came after the takeover')
  if (late.length === 0) complaints.push('no text came to the reader who joined')
  if (!(await two.types()).includes('turn.ended')) complaints.push('the turn did not end')
  return complaints.map((complaint) => `seed ${seed}: ${complaint}`)
}

interface Batch {
  readonly number: number
  /** The step, and where the text of this batch ends in it. */
  readonly end: string
}

/** Grows as batches arrive. */
async function readBatches({ engine, user, sessionId }: TestSession): Promise<readonly Batch[]> {
  const batches: Batch[] = []
  const batch = ({ number, stepId, block, offset, text }: LiveBatch) =>
    void batches.push({ number, end: `${stepId} ${block} ${offset + text.length}` })
  await engine.attach(user, sessionId, { after: { seq: 0 }, reader: { ...createReaderLog(), batch } })
  return batches
}

function findRepeated(batches: readonly Batch[]): readonly string[] {
  const numbers = batches.map(({ number }) => number)
  const isGrowing = numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))
  return isGrowing ? [] : [`the numbers do not grow: ${numbers.join(' ')}`]
}

/** A number that two nodes have sent stands for the same text. */
function compare(some: readonly Batch[], others: readonly Batch[]): string[] {
  return some.flatMap(({ number, end }) => {
    const other = others.find((each) => each.number === number)
    return other === undefined || other.end === end ? [] : [`batch ${number} ends at ${end} and at ${other.end}`]
  })
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 50) {
    await quiet()
    clock.advance(50)
  }
  await quiet()
}

/** Messages cause work, which causes messages. */
async function quiet(): Promise<void> {
  for (let round = 0; round < 20; round++) await untilQuiet()
}
