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
  type TestSession,
} from '@polylogue/testkit'

/**
 * Two nodes: one streams an answer and dies, the other continues the turn. Returns what is wrong with the numbers of the
 * batches of text, which are the numbers of Blade's patches.
 */
export async function judgeBatchNumbers(seed: number): Promise<readonly string[]> {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const process = createProcessStore(store)
  const cluster = createMemoryCluster(clock)
  const pause = () => new Promise<void>((resolve) => void clock.setTimer(20 + (seed % 50) * 3, resolve))
  const words = Array.from({ length: 1 + (seed % 7) }, (_, index) => `w${index} `)
  const model = createFakeModel([...words.flatMap((word) => [says(word), pause]), hangs])
  const other = createFakeModel([says('again'), finishes()])
  const one = await startSession({ store: process, clock, model, cluster })
  const two = useSession(createTestEngine({ store, clock, model: other, cluster }), one.sessionId)
  await one.engine.start()
  await two.engine.start()
  await pass(clock, 6_000)
  const [here, there] = [await readNumbers(one), await readNumbers(two)]
  await one.say('go')
  // The first node dies while it streams, or after its last word.
  await pass(clock, 100 + (seed % 11) * 50)
  const complaints =
    here.join() === there.join() ? [] : [`${there.join(' ')} on the other node, ${here.join(' ')} here`]
  process.die()
  await pass(clock, 10_000)
  const isGrowing = there.every((number, index) => index === 0 || number > (there[index - 1] ?? 0))
  if (!isGrowing) complaints.push(`the numbers do not grow: ${there.join(' ')}`)
  if (!(await two.types()).includes('turn.ended')) complaints.push('the turn did not end')
  return complaints.map((complaint) => `seed ${seed}: ${complaint}`)
}

/** Grows as batches arrive. */
async function readNumbers({ engine, user, sessionId }: TestSession): Promise<readonly number[]> {
  const numbers: number[] = []
  const reader = { ...createReaderLog(), batch: ({ number }: { readonly number: number }) => void numbers.push(number) }
  await engine.attach(user, sessionId, { after: { seq: 0 }, reader })
  return numbers
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
