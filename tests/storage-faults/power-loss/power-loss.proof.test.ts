import { expect, it } from 'vitest'
import { COUNTS } from '../counts.ts'
import { startStopwatch, tellProof } from '../proof-result.ts'
import { replayWorkload } from './replay-workload.ts'

const { workloads, proof, forgetful } = COUNTS.powerLoss

it('a power loss at any moment loses nothing that was acknowledged', async () => {
  const seconds = startStopwatch()
  const brisk = await replayWorkload(workloads.brisk, proof.seeds, proof.images.brisk)
  const shipped = await replayWorkload(workloads.shipped, proof.seeds, proof.images.shipped)
  const lost = [...brisk.lost, ...shipped.lost]
  tellProof({
    id: 'F2',
    what: 'disk images after a power loss, from 5 seeds: synced data kept, every other write kept, dropped or torn',
    count: brisk.images + shipped.images,
    failures: lost.length,
    seed: proof.seed,
    seconds: seconds(),
  })
  expect(lost).toEqual([])
}, 600_000)

it('the same images of a store that does not wait for the disk lose something', async () => {
  const seconds = startStopwatch()
  const { images, lost } = await replayWorkload(forgetful.workload, [forgetful.seed], forgetful.images)
  tellProof({
    id: 'F2 with synchronous=NORMAL',
    what: `planted fault: ${lost.length} of ${images} images lost something, as they must`,
    count: images,
    failures: lost.length > 0 ? 0 : 1,
    seed: forgetful.seed,
    seconds: seconds(),
  })
  expect(lost.length).toBeGreaterThan(0)
}, 60_000)
