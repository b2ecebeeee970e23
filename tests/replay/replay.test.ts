import { describe, expect, it } from 'vitest'
import { LOOP_CHANGES, replayChanged } from './loop-changes.ts'
import { describeReplay, needsSecondStep, replaySample } from './replay-sample.ts'

const SESSIONS = 20

describe('a replay of random sessions', () => {
  it('finds no difference while nothing has changed, in events and in requests to the model', async () => {
    const sample = await replaySample(SESSIONS)
    expect(sample.flatMap(describeReplay)).toEqual([])
    expect(sample.every(({ report }) => report.requests > 0 && report.skipped === 0)).toBe(true)
  })

  it.each([
    { what: 'stops after one step', changes: { agent: { maxSteps: 1 } }, isAffected: needsSecondStep },
    { what: 'offers one tool less', changes: { without: 'echo' }, isAffected: () => true },
    { what: 'asks the model something else', changes: { agent: { instructions: 'Now.' } }, isAffected: () => true },
  ])('names every session that a loop which $what affects, and no other', async ({ changes, isAffected }) => {
    const sample = await replaySample(SESSIONS, changes)
    const named = sample.filter(({ report }) => report.differences.length > 0).map(({ session }) => session.name)
    expect(named).toEqual(sample.filter(({ session }) => isAffected(session)).map(({ session }) => session.name))
    expect(named.length).toBeGreaterThan(0)
  })

  it('finds no difference where the store of rules answers late', async () => {
    expect((await replaySample(5, { isSlow: true })).flatMap(describeReplay)).toEqual([])
  })

  it.each(LOOP_CHANGES)('names every session that a changed source affects, and no other: $what', async (change) => {
    const { sessions, named } = await replayChanged(SESSIONS, change)
    const affected = sessions.filter((session) => change.isAffected(session)).map(({ name }) => name)
    expect(named).toEqual(affected)
    expect(affected.length).toBeGreaterThan(0)
  })

  it('keeps no secret', async () => {
    const [{ session } = { session: undefined }] = await replaySample(1)
    const hashes = session?.events.flatMap(({ event }) =>
      'exchange' in event && event.exchange ? [event.exchange] : [],
    )
    const texts = await Promise.all(
      (hashes ?? []).map(async (hash) => new TextDecoder().decode(await session?.readBlob(hash))),
    )
    expect(texts.length).toBeGreaterThan(0)
    for (const text of texts) expect(text).toContain('"apiKey":"***"')
    expect(texts.join()).not.toContain('sk-very-secret')
  })
})
