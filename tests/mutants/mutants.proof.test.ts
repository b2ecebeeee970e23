import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { copyCheckout } from './checkout-copy.ts'
import type { Suite } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

/** All of these must pass without a mutant. Otherwise their failure proves nothing. */
async function findBrokenSuites(): Promise<readonly string[]> {
  await using copy = await copyCheckout()
  const suites = new Map(MUTANTS.map(({ caughtBy }): [string, Suite] => [JSON.stringify(caughtBy), caughtBy]))
  const broken: string[] = []
  for (const suite of suites.values()) {
    const { passed, failed, output } = await copy.run(suite)
    if (passed.length === 0 || failed.length > 0)
      broken.push(`${suite.file} -t '${suite.test}' without a bug: ${output}`)
  }
  return broken
}

it('every planted bug is caught by the part of the suite that is named beside it', async () => {
  const seconds = startStopwatch()
  const complaints = [...(await findBrokenSuites())]
  for (const { name, edits, caughtBy } of MUTANTS) {
    await using copy = await copyCheckout()
    await copy.edit(edits)
    const { failed, output } = await copy.run(caughtBy)
    if (failed.length === 0) complaints.push(`not caught: ${name}: ${output}`)
  }
  tellProof({
    id: 'mutants',
    what: 'planted bugs, each in a copy of the sources: a named small part of the suite fails',
    count: MUTANTS.length,
    failures: complaints.length,
    complaints,
    seed: '–',
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})
