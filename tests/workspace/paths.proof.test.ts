import { expect, it } from 'vitest'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { type CheckedPaths, type CheckOptions, checkOpenedPaths, checkWrittenPaths } from './check-paths.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'

it.each([
  ['opens', checkOpenedPaths, 100_000, 'the file lies in the workspace by the kernel’s own word'],
  ['writes', checkWrittenPaths, 20_000, 'nothing outside of the workspace changes'],
] as const)('M4: a path that a tool %s', async (does, check, runs, promise) => {
  const seconds = startStopwatch()
  const result = await tryAll(check, { runs, seed: createSeededRandom(SEED).int(2 ** 31) })
  tellProof({
    id: 'M4',
    what: `paths and links that a tool ${does} (${result.opened} led to a file): ${promise}`,
    count: runs,
    failures: result.problem === undefined ? 0 : 1,
    seed: SEED,
    seconds: seconds(),
  })
  expect(result.problem).toBeUndefined()
  expect(result.opened).toBeGreaterThan(runs / 20)
})

async function tryAll(
  check: (options: CheckOptions) => Promise<CheckedPaths>,
  options: CheckOptions,
): Promise<CheckedPaths & { readonly problem?: unknown }> {
  try {
    return await check(options)
  } catch (problem) {
    return { opened: 0, problem }
  }
}
