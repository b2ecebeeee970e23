import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { GIT_ATTACKS } from './git-configurations.ts'
import { readWithGit } from './read-with-git.ts'

it('S24: no program that a repository names is run by a reading command, in any preset', async () => {
  const seconds = startStopwatch()
  const { counted, notWorking, unasked, executions } = await readWithGit(GIT_ATTACKS)
  tellProof({
    id: 'S24',
    what:
      `Git configurations for which plain Git runs a program while it reads (${notWorking.length} more were left out, ` +
      `because plain Git does not), each read by every reading command in every preset: ${unasked} commands ran unasked, ` +
      'in bubblewrap and without it, and the program never did',
    count: counted,
    failures: executions.length,
    seed: '–',
    seconds: seconds(),
  })
  expect(executions).toEqual([])
  expect(counted).toBeGreaterThanOrEqual(200)
})
