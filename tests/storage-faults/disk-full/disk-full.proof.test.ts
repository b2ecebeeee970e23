import { expect, it } from 'vitest'
import { COUNTS } from '../counts.ts'
import { startStopwatch, tellProof } from '../proof-result.ts'
import { fillDisks, limitFiles } from './fill-disks.ts'

const { width, proof } = COUNTS.diskFull

it('a full disk costs nothing that was acknowledged, whatever its size', async () => {
  const seconds = startStopwatch()
  const disks = await fillDisks(proof.kibibytes, width)
  const limits = await limitFiles(proof.blocks, width)
  const failed = [...disks.failed, ...limits.failed]
  tellProof({
    id: 'F4',
    what: 'a full disk under a server (256 KiB to 8 MiB), or files that may not grow',
    count: disks.count + limits.count,
    failures: failed.length,
    complaints: failed.flat(),
    seed: '–',
    seconds: seconds(),
  })
  expect(failed).toEqual([])
}, 7_200_000)
