// 200 random sessions are replayed, as they were recorded and with changes of the loop, each of which must be found.
import { expect, it } from 'vitest'
import { LOOP_CHANGES, replayChanged } from './loop-changes.ts'
import { describeReplay, needsSecondStep, replaySample } from './replay-sample.ts'

const SESSIONS = 200

it('200 random sessions come out as they were recorded', async () => {
  expect((await replaySample(SESSIONS)).flatMap(describeReplay)).toEqual([])
})

it.each(LOOP_CHANGES)(
  'a changed source, $what: every affected session of 200 is named, and no other',
  async (change) => {
    const { sessions, named } = await replayChanged(SESSIONS, change)
    expect(named).toEqual(sessions.filter((session) => change.isAffected(session)).map(({ name }) => name))
  },
)

it('a loop that stops after one step: every affected session of 200 is named, and no other', async () => {
  const sample = await replaySample(SESSIONS, { agent: { maxSteps: 1 } })
  const named = sample.filter(({ report }) => report.differences.length > 0).map(({ session }) => session.name)
  expect(named).toEqual(sample.filter(({ session }) => needsSecondStep(session)).map(({ session }) => session.name))
})
