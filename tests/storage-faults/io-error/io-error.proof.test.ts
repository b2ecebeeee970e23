import { expect, it } from 'vitest'
import { COUNTS } from '../counts.ts'
import { startStopwatch, tellProof } from '../proof-result.ts'
import { sideBySide } from '../side-by-side.ts'
import { failCall } from './fail-a-call.ts'
import { failFirstStart } from './fail-first-start.ts'
import { failServer } from './fail-server.ts'
import { injectionsOf, nameOf } from './injections.ts'

const { width, proof } = COUNTS.ioError

it('after a failed call to the disk nothing is acknowledged, and nothing acknowledged is lost', async () => {
  const seconds = startStopwatch()
  const stores = await sideBySide(injectionsOf(proof.store, { alsoLasting: true }), width, async (injection) => {
    const { wasInjected, problems } = await failCall(injection)
    return { wasInjected, problems: problems.map((problem) => `${nameOf(injection)}: ${problem}`) }
  })
  const servers = await sideBySide(injectionsOf(proof.server), width, failServer)
  const starts = await sideBySide(injectionsOf(proof.firstStart), width, failFirstStart)
  const met = stores.filter(({ wasInjected }) => wasInjected)
  const outcomes = [...met.map(({ problems }) => problems), ...servers, ...starts]
  const failed = outcomes.filter((problems) => problems.length > 0)
  tellProof({
    id: 'F5',
    what: 'EIO from fsync, pwrite, pread, open, unlink, truncate, mmap, link or rename',
    count: outcomes.length,
    failures: failed.length,
    complaints: failed.flat(),
    seed: '–',
    seconds: seconds(),
  })
  expect(failed.flat()).toEqual([])
  expect(outcomes.length).toBeGreaterThanOrEqual(1_000)
}, 7_200_000)
