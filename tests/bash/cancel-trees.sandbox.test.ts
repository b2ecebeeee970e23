import { expect, it } from 'vitest'
import { cancelTrees } from './cancel-trees.ts'
import { TREE_SHAPES } from './tree-shapes.ts'

const plan = { cancels: Object.keys(TREE_SHAPES).length, sandbox: 'required', beside: 2, withinMs: 6000 } as const

it('F12: in the sandbox every tree ends with its namespace', async () => {
  expect(await cancelTrees(plan)).toMatchObject({ complaints: [] })
})
