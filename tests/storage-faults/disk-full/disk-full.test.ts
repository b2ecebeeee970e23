import { expect, it } from 'vitest'
import { COUNTS } from '../counts.ts'
import { fillDisks, limitFiles } from './fill-disks.ts'

const { width, test } = COUNTS.diskFull

it('a full disk is answered 507, costs nothing that was acknowledged, and is forgotten when there is room', async () => {
  expect((await fillDisks(test.kibibytes, width)).failed).toEqual([])
}, 120_000)

it('files that may not grow stop a store, and cost nothing that was acknowledged', async () => {
  expect((await limitFiles(test.blocks, width)).failed).toEqual([])
}, 30_000)
