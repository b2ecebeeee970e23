import { expect, it } from 'vitest'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { DAILY_CRONS } from './crons.ts'
import { playSchedules, type PlayOptions } from './play-schedules.ts'

const play = (years: number, more: Partial<PlayOptions> = {}) => {
  const { int } = createSeededRandom('willow')
  return playSchedules({
    random: () => int(2 ** 32) / 2 ** 32,
    from: Date.UTC(2010, 0),
    until: Date.UTC(2010 + years, 0),
    crons: DAILY_CRONS,
    ...more,
  })
}

it('F15: each slot of twenty years in forty zones has one outcome, despite crashes and clock changes', async () => {
  const { complaints, slots, outcomes, deaths } = await play(20)
  expect(complaints).toEqual([])
  expect(slots).toBeGreaterThan(200_000)
  expect(deaths).toBeGreaterThan(1_000)
  for (const outcome of ['fired', 'skipped-late', 'skipped-busy', 'skipped-rights']) {
    expect([outcome, (outcomes[outcome] ?? 0) > 500]).toEqual([outcome, true])
  }
}, 120_000)

it('F15 would find a slot that is lost, a run that is left behind, and two at once', async () => {
  const loses = await play(1, {
    spoil: (store) => ({
      ...store,
      settleSlots: (schedule, slots) => store.settleSlots(schedule, slots.length > 3 ? slots.slice(1) : slots),
    }),
  })
  expect(loses.complaints[0]).toContain('has no outcome')
  const forgets = await play(1, { spoil: (store) => ({ ...store, openRuns: async () => [] }) })
  expect(forgets.complaints[0]).toMatch(/came to a halt|is still/)
  const hurries = await play(1, {
    spoil: (store) => ({
      ...store,
      async readSchedule(scheduleId) {
        const standing = await store.readSchedule(scheduleId)
        return standing && { ...standing, isBusy: false }
      },
    }),
  })
  expect(hurries.complaints[0]).toContain('has two runs at once')
}, 60_000)
