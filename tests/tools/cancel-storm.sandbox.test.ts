import { expect, it } from 'vitest'
import { TREE_SHAPES } from '../bash/tree-shapes.ts'
import { cancelTurns } from './cancel-storm.ts'
import { DEAD_ON_A_BUSY_MACHINE_MS } from './processes.ts'

/** Every shape at least once. The proof cancels more. */
const STORMS = [
  { sandbox: 'none', cancels: 24 },
  { sandbox: 'required', cancels: 18 },
] as const

it.each(STORMS)(
  'F12: $cancels cancelled turns over all shapes of process trees leave no process, sandbox $sandbox',
  async ({ sandbox, cancels }) => {
    const result = await cancelTurns({ sandbox, cancels, beside: 6, goneWithinMs: DEAD_ON_A_BUSY_MACHINE_MS })
    expect(result.complaints).toEqual([])
    expect(result.visibleMs).toHaveLength(cancels)
    expect(Object.keys(result.perShape).toSorted()).toEqual(Object.keys(TREE_SHAPES).toSorted())
  },
  90_000,
)
