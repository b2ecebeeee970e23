import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { GIT_LEAKS, readLeaks } from './git-leaks.ts'
import { READS, tryReads } from './secret-reads.ts'

it('S25: no spelling of a read outside the workspace, or of a protected file, runs unasked', async () => {
  const seconds = startStopwatch()
  const { counted, notWorking, leaks, unasked } = await tryReads(READS)
  const byGit = await readLeaks(GIT_LEAKS)
  tellProof({
    id: 'S25',
    what:
      `spellings of reads of protected files and of files outside the workspace that work in plain bash ` +
      `(${notWorking.length} more do not), judged in plan and workspace-write, in bubblewrap and without it: none runs unasked. ${GIT_LEAKS.length} of them are ` +
      'repositories whose links, index or pointers lead outside: Git prints nothing from there',
    count: counted + GIT_LEAKS.length - byGit.notWorking.length,
    failures: leaks.length + unasked.length + byGit.leaks.length + byGit.unasked.length,
    seed: '–',
    seconds: seconds(),
  })
  expect([...leaks, ...unasked, ...byGit.leaks, ...byGit.unasked]).toEqual([])
  expect(counted).toBeGreaterThanOrEqual(300)
})
