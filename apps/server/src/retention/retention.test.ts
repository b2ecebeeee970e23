import { asSessionId, asUserId, EngineError, type EventStore, type LogEntry } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createRetention } from './retention.ts'

const DAY_MS = 24 * 60 * 60_000
const ANN = asUserId('ann')

/** Sessions by the time of their last change. */
function createWorld(sessions: Readonly<Record<string, number>>, refuses: readonly string[] = []) {
  const left = new Map(Object.entries(sessions))
  const clock = createFakeClock()
  const logged: LogEntry[] = []
  const findStale: EventStore['findStale'] = async (before, limit) =>
    [...left]
      .filter(([, at]) => at < before)
      .slice(0, limit)
      .map(([id]) => ({ userId: ANN, sessionId: asSessionId(id) }))
  const engine = {
    async execute(command: { readonly type: string; readonly sessionId: string }) {
      if (refuses.includes(command.sessionId)) throw new EngineError('session-not-found', 'there is no such session')
      left.delete(command.sessionId)
      return {}
    },
  }
  const open = (days?: number) =>
    createRetention({
      ...(days !== undefined && { days }),
      events: { findStale },
      engine: engine as never,
      clock,
      log: (entry) => void logged.push(entry),
    })
  return { left, clock, logged, open }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('retention', () => {
  it('deletes sessions unchanged for the configured days, soon after the start and then every hour', async () => {
    const { left, clock, logged, open } = createWorld({})
    const now = clock.now()
    for (let number = 0; number < 120; number++) left.set(`old-${number}`, now - 31 * DAY_MS)
    left.set('new', now - 29 * DAY_MS)
    const retention = open(30)
    retention.start()
    clock.advance(60_000)
    for (let turn = 0; turn < 500 && left.size > 1; turn++) await settle()
    expect([...left.keys()]).toEqual(['new'])
    for (let turn = 0; turn < 10; turn++) await settle()
    expect(logged).toMatchObject([{ message: 'old sessions were deleted', count: 120, days: 30 }])
    // The next look, which comes too early for the last session, and the one after it.
    for (const ms of [2 * DAY_MS, 60 * 60_000]) {
      clock.advance(ms)
      for (let turn = 0; turn < 20; turn++) await settle()
    }
    expect([...left.keys()]).toEqual([])
    await retention.stop()
    expect(clock.pendingTimers()).toBe(0)
  })

  it('passes over a session that cannot be deleted', async () => {
    const { left, clock, open } = createWorld({ gone: 1, other: 2 }, ['gone'])
    const retention = open(1)
    clock.advance(DAY_MS * 10)
    retention.start()
    clock.advance(60_000)
    for (let turn = 0; turn < 50; turn++) await settle()
    expect([...left.keys()]).toEqual(['gone'])
    await retention.stop()
  })

  it('deletes nothing unless days are configured', async () => {
    const { left, clock, open } = createWorld({ old: 1 })
    const retention = open()
    retention.start()
    clock.advance(400 * DAY_MS)
    await settle()
    expect([...left.keys()]).toEqual(['old'])
    expect(clock.pendingTimers()).toBe(0)
  })
})
