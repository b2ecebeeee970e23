import { asUserId, createScheduleBook, type JsonObject, type ToolOutput } from '@polylogue/engine'
import {
  createFakeClock,
  createInvocation,
  createMemoryScheduleStore,
  hourlyCalendar,
  testDigest,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createScheduleTool } from './schedule-tool.ts'

function setUp() {
  const clock = createFakeClock()
  const store = createMemoryScheduleStore()
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  const book = createScheduleBook({ store, calendar: hourlyCalendar, clock, random, changed: () => undefined })
  const tool = createScheduleTool({ book, agentOf: async () => 'coder', timezone: 'Asia/Tokyo', digest: testDigest })
  const run = (input: JsonObject, userId = 'ada'): Promise<ToolOutput> =>
    tool.run(createInvocation(tool, input, { userId }))
  return { tool, run, list: (userId = 'ada') => book.list(asUserId(userId)) }
}

const NEWS = { action: 'create', title: ' News ', prompt: 'Tell me the news', cron: '0 9 * * *' }

describe('Schedule', () => {
  it('has something done by the same agent for the user of the session, and says when it is next', async () => {
    const { run, list } = setUp()
    const made = await run({ ...NEWS, timezone: 'Europe/Berlin', expires_at: '2027-01-01T00:00:00+01:00' })
    const [schedule] = await list()
    expect(made).toEqual({
      content: `Scheduled as ${schedule?.scheduleId}: "News", 0 9 * * * in Europe/Berlin, next at 2026-01-01T01:00:00.000Z.`,
    })
    expect(schedule).toMatchObject({
      title: 'News',
      prompt: 'Tell me the news',
      agent: 'coder',
      timezone: 'Europe/Berlin',
      expiresAt: Date.UTC(2026, 11, 31, 23),
      isEnabled: true,
      isUnattended: false,
      sourceSession: expect.any(String),
    })
    expect(await list('grace')).toEqual([])
  })

  it('makes one schedule when a call runs again, and takes the zone of the server where none is named', async () => {
    const { tool, run, list } = setUp()
    expect(tool.effect).toBe('idempotent')
    expect(await run(NEWS)).toEqual(await run(NEWS))
    expect(await list()).toMatchObject([{ timezone: 'Asia/Tokyo' }])
  })

  it('lists and removes what the user has, and nothing of others', async () => {
    const { run, list } = setUp()
    expect(await run({ action: 'list' })).toEqual({ content: 'Nothing is scheduled.' })
    await run(NEWS)
    const [{ scheduleId } = { scheduleId: '' }] = await list()
    expect((await run({ action: 'list' })).content).toContain(`${scheduleId}: "News"`)
    expect(await run({ action: 'list' }, 'grace')).toEqual({ content: 'Nothing is scheduled.' })
    const unknown = { content: 'There is no such schedule.', isError: true }
    expect(await run({ action: 'remove', id: scheduleId }, 'grace')).toEqual(unknown)
    expect(await run({ action: 'remove', id: scheduleId })).toEqual({ content: `${scheduleId} is removed.` })
    expect(await run({ action: 'remove', id: scheduleId })).toEqual(unknown)
  })

  it('says what is wrong with the time', async () => {
    expect(await setUp().run({ ...NEWS, cron: 'daily' })).toEqual({
      content: 'cron: must have five fields',
      isError: true,
    })
  })

  it('is judged as having effects, and shown with what it would do', async () => {
    const { tool } = setUp()
    const inspect = (input: JsonObject) => tool.inspect?.(createInvocation(tool, input).input, { cwd: '/', roots: [] })
    expect(await inspect(NEWS)).toEqual({
      facts: { type: 'plain' },
      preview: { title: 'Schedule: News (0 9 * * *)' },
    })
    expect(await inspect({ action: 'list' })).toMatchObject({ preview: { title: 'List schedules' } })
    expect(await inspect({ action: 'remove', id: 'task_1' })).toMatchObject({
      preview: { title: 'Remove the schedule task_1' },
    })
  })

  it.each<[JsonObject, string]>([
    [{}, 'action: must be one of create, list, remove'],
    [{ action: 'create', title: 'x', prompt: 'y' }, 'cron: is missing'],
    [{ action: 'remove' }, 'id: is missing'],
    [{ ...NEWS, title: 'x'.repeat(201) }, 'title: '],
    [{ ...NEWS, expires_at: 'tomorrow' }, 'expires_at: '],
  ])('refuses an invalid schedule, case %#', (input, problem) => {
    expect(setUp().tool.check(input)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) })
  })
})
