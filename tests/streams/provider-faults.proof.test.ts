import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { V3 } from '../support/aap-dialect.ts'
import { type ProviderCase, chooseCases, sufferAll } from './provider-faults.ts'
import { startProviderServer } from './support/provider-server.ts'
import { type Memory, readMemory } from './support/read-memory.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const MEBIBYTE = 1024 * 1024
const COUNT = 500
const BATCHES = 5
const AT_A_TIME = 25
const HUGE = 10
/** The patience of the server, and some more. */
const CLOSED_WITHIN_MS = 1500 + 5000
/** What the program holds may not grow after the first batch; what the system has given it, not after the third. */
const FLAT_HEAP = 16 * MEBIBYTE
const FLAT_RESIDENT = 32 * MEBIBYTE

const isSilent = ({ kind }: ProviderCase): boolean => kind === 'silence'

it.each([
  {
    id: 'F11',
    what: 'provider answers that start and then stall, while the client waits, leaves or cancels',
    choose: () => chooseCases(3 * COUNT, SEED).filter(isSilent),
  },
  {
    id: 'F17',
    what: 'provider answers that are cut, unfinished, empty, malformed or refused with 429 and 529, and calls with equal ids, bad arguments and interleaved pieces',
    choose: () =>
      chooseCases((3 * COUNT) / 2, SEED)
        .filter((one) => !isSilent(one))
        .slice(0, COUNT),
  },
])('$id: $what', async ({ id, what, choose }) => {
  const seconds = startStopwatch()
  await using running = await startProviderServer()
  const { server, provider } = running
  const cases = choose()
  const complaints: string[] = []
  const memory: Memory[] = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const part = cases.slice((batch * COUNT) / BATCHES, ((batch + 1) * COUNT) / BATCHES)
    const sufferings = await sufferAll(server.client(V3), provider, { cases: part, atATime: AT_A_TIME })
    complaints.push(...sufferings.flatMap((suffering) => suffering.complaints))
    const late = sufferings.filter(({ closedAfterMs = 0 }) => closedAfterMs > CLOSED_WITHIN_MS)
    if (late.length > 0) complaints.push(`${late.length} connections to the provider stayed open`)
    memory.push(await readMemory(server))
  }
  const heap = growth(memory.map(({ heapBytes }) => heapBytes))
  const resident = growth(memory.slice(2).map(({ residentBytes }) => residentBytes))
  if (heap > FLAT_HEAP) complaints.push(`the heap grew by ${inMebibytes(heap)}`)
  if (resident > FLAT_RESIDENT) complaints.push(`memory grew by ${inMebibytes(resident)}`)
  complaints.push(...provider.refused.map((reason) => `the provider refused a history: ${reason}`))
  tellProof({
    id,
    what: `${what}: the next turn is answered, the heap grows by ${inMebibytes(heap)}`,
    count: cases.length,
    failures: complaints.length,
    complaints,
    seed: SEED,
    seconds: seconds(),
  })
  expect(cases).toHaveLength(COUNT)
  expect(complaints).toEqual([])
})

const growth = ([first = 0, ...later]: readonly number[]): number => Math.max(...later) - first
const inMebibytes = (bytes: number): string => `${Math.round(bytes / MEBIBYTE)} MiB`

it('F17: calls with ten megabytes of arguments', async () => {
  const seconds = startStopwatch()
  await using running = await startProviderServer()
  const cases = Array.from({ length: HUGE }, (_, number) => ({ kind: 'huge', number, patience: 'waits' }) as const)
  const sufferings = await sufferAll(running.server.client(V3), running.provider, { cases, atATime: 2 })
  const complaints = [...sufferings.flatMap((suffering) => suffering.complaints), ...running.provider.refused]
  tellProof({
    id: 'F17',
    what: 'calls with ten megabytes of arguments: the next turn is answered',
    count: HUGE,
    failures: complaints.length,
    complaints,
    seed: '–',
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})
