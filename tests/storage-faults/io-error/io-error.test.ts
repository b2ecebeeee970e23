import { describe, expect, it } from 'vitest'
import { COUNTS } from '../counts.ts'
import { sideBySide } from '../side-by-side.ts'
import { problemsIn } from '../workload/play-through-errors.ts'
import { failCall } from './fail-a-call.ts'
import { failFirstStart } from './fail-first-start.ts'
import { failServer } from './fail-server.ts'
import { injectionsOf, nameOf } from './injections.ts'

const { width, test } = COUNTS.ioError

describe('when a call to the disk fails', () => {
  it('a store acknowledges nothing more, and has all it acknowledged when it is opened again', async () => {
    const outcomes = await sideBySide(injectionsOf(test.store), width, async (injection) => {
      const { wasInjected, problems } = await failCall(injection)
      return wasInjected ? problems : [`${nameOf(injection)} was never made`]
    })
    expect(outcomes.flat()).toEqual([])
  }, 60_000)

  it('a server answers reads, refuses writes until it is started again, and has lost nothing', async () => {
    const outcomes = await sideBySide(injectionsOf(test.server), width, failServer)
    expect(outcomes.flat()).toEqual([])
  }, 60_000)

  it('a server that is making its keys does not start, and starts the next time', async () => {
    const outcomes = await sideBySide(injectionsOf(test.firstStart), width, failFirstStart)
    expect(outcomes.flat()).toEqual([])
  }, 60_000)
})

describe('the judge', () => {
  it.each([
    ['goes on after a failed commit', ['ack 1 3', 'fault broken disk I/O error.', 'again broken', 'ack 3 3', 'end']],
    ['is cut off', ['ack 1 3']],
    ['says nothing that helps', ['ack 1 3', 'fault broken Oops.', 'again broken', 'end']],
  ])('finds a store that %s', (_what, lines) => {
    expect(problemsIn(lines, '')).toHaveLength(1)
  })
})
