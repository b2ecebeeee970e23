import { detectSandbox } from '@polylogue/tools'
import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { cancelTrees } from './cancel-trees.ts'

const isSandboxed = (await detectSandbox()) === 'bubblewrap'
const PLANS = [
  { sandbox: 'none', cancels: 300, where: 'without a sandbox' },
  ...(isSandboxed ? [{ sandbox: 'required', cancels: 60, where: 'in bubblewrap' } as const] : []),
] as const

it.each(PLANS)('F12: $cancels cancels $where', async ({ sandbox, cancels, where }) => {
  const seconds = startStopwatch()
  const { complaints, longestMs, perShape } = await cancelTrees({ cancels, sandbox, beside: 2, withinMs: 2000 })
  tellProof({
    id: 'F12',
    what: `shell commands cancelled at the tool, ${where}, over ${Object.keys(perShape).length} shapes of process trees: no process left, nothing written after the end, the slowest took ${Math.round(longestMs)} ms`,
    count: cancels,
    failures: complaints.length,
    seed: 'none',
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})
