import { expect, it } from 'vitest'
import { cancelTrees } from './cancel-trees.ts'
import { TREE_SHAPES } from './tree-shapes.ts'

it('F12: 36 cancels over all shapes of process trees leave no process, and nothing is written afterwards', async () => {
  const { complaints, perShape } = await cancelTrees({ cancels: 36, sandbox: 'none', beside: 3, withinMs: 6000 })
  expect(complaints).toEqual([])
  expect(Object.keys(perShape).sort()).toEqual(Object.keys(TREE_SHAPES).sort())
})
