import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  DAY_MS,
  ROOT_LOOP,
  asEntryId,
  asLoopId,
  asTurnId,
  asUserId,
  type EventStore,
  type UsageRow,
  type UsageStore,
} from '@polylogue/engine'
import { AT, SESSION, TURN, USER, addition, creation, session } from './event-store-contract/samples.ts'

/** A pair of stores that only one test uses. */
export interface OpenedUsageStore {
  readonly events: EventStore
  readonly usage: UsageStore
  /** Closes the stores and opens their database again. Absent: the stores themselves must still have everything. */
  readonly reopen?: () => Promise<UsageStore>
  /** Closes the stores and removes their files. */
  close(): Promise<void>
}

const call = (callId: string, more: Partial<UsageRow> = {}): UsageRow => ({
  callId: asEntryId(callId),
  kind: 'step',
  userId: USER,
  keyId: 'key_1',
  turnId: TURN,
  loops: [ROOT_LOOP],
  agent: 'tester',
  model: 'fake/model',
  usage: { inputTokens: 10, outputTokens: 1 },
  ...more,
})

const EMPTY = {
  calls: 0,
  untoldCalls: 0,
  unpricedCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  nano: {},
  lastAt: AT,
}
const dollars = (nano: number) => ({ nano, currency: 'USD' })

export function usageStoreContract(name: string, open: () => Promise<OpenedUsageStore>): void {
  describe(`${name} keeps the contract of a usage store`, () => {
    let opened: OpenedUsageStore | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const subject = (): OpenedUsageStore => {
      if (opened === undefined) throw new Error('the stores are opened before each test')
      return opened
    }

    it('adds up everything that a call took, across a restart', async () => {
      const { events, usage, reopen } = subject()
      const told = {
        inputTokens: 100,
        outputTokens: 20,
        cachedInputTokens: 60,
        cacheWriteTokens: 30,
        reasoningTokens: 5,
        cost: dollars(7),
      }
      await events.append(creation(SESSION, { usage: [call('a', { usage: told })] }))
      await events.append(
        addition(SESSION, 1, { at: AT + 5, usage: [call('b', { usage: { ...told, cost: dollars(4) } })] }),
      )
      const after = (await reopen?.()) ?? usage
      expect(await after.sumUsage({ by: [], limit: 10 })).toEqual([
        {
          calls: 2,
          untoldCalls: 0,
          unpricedCalls: 0,
          inputTokens: 200,
          outputTokens: 40,
          cachedInputTokens: 120,
          cacheWriteTokens: 60,
          reasoningTokens: 10,
          nano: { USD: 11 },
          lastAt: AT + 5,
        },
      ])
    })

    it('counts nothing of an append that was refused', async () => {
      const { events, usage } = subject()
      await events.append(creation(SESSION))
      const late = await events.append(addition(SESSION, 7, { usage: [call('a')] }))
      expect(late.type).toBe('conflict')
      expect(await usage.sumUsage({ by: [], limit: 10 })).toEqual([])
      expect(await usage.spentWithKey('key_1', 0)).toEqual({ calls: 0, tokens: 0, nano: {} })
    })

    it('tells calls without a price, and calls of which nothing was told, apart from those that cost nothing', async () => {
      const { events, usage } = subject()
      const { usage: _told, ...untold } = call('c')
      const free = call('b', { usage: { inputTokens: 1, outputTokens: 1, cost: dollars(0) } })
      await events.append(creation(SESSION, { usage: [call('a'), free, untold] }))
      expect(await usage.sumUsage({ by: [], limit: 10 })).toEqual([
        { ...EMPTY, calls: 3, untoldCalls: 1, unpricedCalls: 1, inputTokens: 11, outputTokens: 2, nano: { USD: 0 } },
      ])
    })

    it('never adds money of one currency to money of another', async () => {
      const { events, usage } = subject()
      const inEuro = call('b', { usage: { inputTokens: 1, outputTokens: 0, cost: { nano: 9, currency: 'EUR' } } })
      const inDollars = call('a', { usage: { inputTokens: 2, outputTokens: 0, cost: dollars(5) } })
      await events.append(creation(SESSION, { usage: [inDollars, inEuro, call('c')] }))
      expect(await usage.sumUsage({ by: ['model'], limit: 10 })).toEqual([
        {
          ...EMPTY,
          model: 'fake/model',
          calls: 3,
          unpricedCalls: 1,
          inputTokens: 13,
          outputTokens: 1,
          nano: { USD: 5, EUR: 9 },
        },
      ])
      const spent = await usage.spentWithKey('key_1', 0)
      expect(spent).toEqual({ calls: 3, tokens: 14, nano: { USD: 5, EUR: 9 } })
    })

    it('groups by every owner of a call, the newest group first', async () => {
      const { events, usage } = subject()
      const child = asLoopId('loop_x')
      const { turnId: _turn, keyId: _key, ...idle } = call('c', { kind: 'compaction', model: 'other/model' })
      await events.append(
        creation(session(1), { usage: [call('a'), call('b', { loops: [child, ROOT_LOOP], agent: 'helper' })] }),
      )
      await events.append(creation(session(2), { at: AT + DAY_MS, usage: [idle] }))
      const groupsBy = async (...by: Parameters<UsageStore['sumUsage']>[0]['by']) =>
        (await usage.sumUsage({ by, limit: 10 })).map(({ calls, ...sum }) => {
          const { sessionId, turnId, loops, callId, agent, model, kind, day, keyId, userId } = sum
          const names = { sessionId, turnId, loops, callId, agent, model, kind, day, keyId, userId }
          const given = Object.entries(names).filter(([, value]) => value !== undefined)
          return [calls, Object.fromEntries(given)]
        })
      const today = AT / DAY_MS
      expect(await groupsBy('session')).toEqual([
        [1, { sessionId: session(2) }],
        [2, { sessionId: session(1) }],
      ])
      expect(await groupsBy('turn')).toEqual([
        [1, {}],
        [2, { turnId: TURN }],
      ])
      expect(await groupsBy('key')).toEqual([
        [1, {}],
        [2, { keyId: 'key_1' }],
      ])
      expect(await groupsBy('day', 'kind')).toEqual([
        [1, { day: today + 1, kind: 'compaction' }],
        [2, { day: today, kind: 'step' }],
      ])
      expect(await groupsBy('user', 'model')).toEqual([
        [1, { userId: USER, model: 'other/model' }],
        [2, { userId: USER, model: 'fake/model' }],
      ])
      const loops = await usage.sumUsage({ by: ['loop', 'agent'], sessionId: session(1), limit: 10 })
      expect(new Set(loops.map(({ loops: path, agent }) => `${agent}: ${path?.join(' < ')}`))).toEqual(
        new Set(['tester: root', 'helper: loop_x < root']),
      )
      expect(await usage.sumUsage({ by: ['call'], limit: 2 })).toHaveLength(2)
    })

    it('finds the calls of one user, key, session, turn and time', async () => {
      const { events, usage } = subject()
      const other = asTurnId('turn_2')
      await events.append(creation(session(1), { usage: [call('a'), call('b', { turnId: other, keyId: 'key_2' })] }))
      const grace = call('c', { userId: asUserId('grace'), turnId: asTurnId('turn_3') })
      await events.append(creation(session(2), { at: AT + 10, usage: [grace] }))
      const count = async (query: Omit<Parameters<UsageStore['sumUsage']>[0], 'by' | 'limit'>) =>
        (await usage.sumUsage({ by: [], limit: 1, ...query }))[0]?.calls ?? 0
      expect(await count({ userId: USER })).toBe(2)
      expect(await count({ keyId: 'key_2' })).toBe(1)
      expect(await count({ sessionId: session(2) })).toBe(1)
      expect(await count({ turnId: other, userId: USER })).toBe(1)
      expect(await count({ from: AT, until: AT + 10 })).toBe(2)
      expect(await count({ from: AT + 10 })).toBe(1)
      expect(await count({ sessionId: session(3) })).toBe(0)
    })

    it('keeps what was spent in a session that was deleted, but not its name', async () => {
      const { events, usage } = subject()
      await events.append(creation(SESSION, { usage: [call('a')] }))
      await events.deleteSession(SESSION)
      const by = ['session', 'turn', 'loop', 'call', 'key'] as const
      expect(await usage.sumUsage({ by, limit: 10 })).toEqual([
        { ...EMPTY, keyId: 'key_1', calls: 1, unpricedCalls: 1, inputTokens: 10, outputTokens: 1 },
      ])
      expect(await usage.sumUsage({ by: [], sessionId: SESSION, limit: 10 })).toEqual([])
      expect(await usage.sumUsage({ by: [], turnId: TURN, limit: 10 })).toEqual([])
      expect((await usage.spentWithKey('key_1', 0)).tokens).toBe(11)
    })

    it('adds up what a key has spent since a day', async () => {
      const { events, usage } = subject()
      const today = AT / DAY_MS
      await events.append(creation(SESSION, { usage: [call('a')] }))
      await events.append(addition(SESSION, 1, { at: AT + DAY_MS - 1, usage: [call('b')] }))
      await events.append(addition(SESSION, 2, { at: AT + DAY_MS, usage: [call('c'), call('d', { keyId: 'key_2' })] }))
      expect(await usage.spentWithKey('key_1', today)).toEqual({ calls: 3, tokens: 33, nano: {} })
      expect(await usage.spentWithKey('key_1', today + 1)).toEqual({ calls: 1, tokens: 11, nano: {} })
      expect(await usage.spentWithKey('key_1', today + 2)).toEqual({ calls: 0, tokens: 0, nano: {} })
    })
  })
}
