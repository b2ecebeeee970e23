import { expect, it } from 'vitest'
import { TREE_SHAPES } from '../bash/tree-shapes.ts'
import { cancelTurns } from './cancel-storm.ts'

const STORMS = [
  { sandbox: 'none', cancels: 60 },
  { sandbox: 'required', cancels: 40 },
] as const

it.each(STORMS)(
  'F12: $cancels cancelled turns over all shapes of process trees leave nobody, sandbox $sandbox',
  async ({ sandbox, cancels }) => {
    // Twice the promise: other tests run beside this one.
    const result = await cancelTurns({ sandbox, cancels, beside: 6, goneWithinMs: 4000 })
    expect(result.complaints).toEqual([])
    expect(result.visibleMs).toHaveLength(cancels)
    expect(Object.keys(result.perShape).toSorted()).toEqual(Object.keys(TREE_SHAPES).toSorted())
  },
  90_000,
)
