import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  DAY_MS,
  ROOT_LOOP,
  asEntryId,
  asSessionId,
  asTurnId,
  asUserId,
  type UsageGrouping,
  type UsageRow,
  type Stores,
} from '@polylogue/engine'
import { createFakeClock, usageStoreContract } from '@polylogue/testkit'
import { openSqliteStores } from './open-sqlite-stores.ts'

async function openStores() {
  const directory = mkdtempSync(join(tmpdir(), 'polylogue-usage-'))
  const clock = createFakeClock()
  const open = (): Promise<Stores> => openSqliteStores({ file: join(directory, 'polylogue.db'), clock })
  let stores = await open()
  return {
    events: stores.events,
    usage: stores.usage,
    async reopen() {
      await stores.close()
      stores = await open()
      return stores.usage
    },
    async close() {
      await stores.close()
      rmSync(directory, { recursive: true })
    },
  }
}

usageStoreContract('the SQLite usage store', openStores)

const SESSIONS = 30
const CALLS = 200
const AT = Date.UTC(2026, 0, 1)

/** Thousands of calls, more than one page. */
async function openFull() {
  const opened = await openStores()
  for (let session = 0; session < SESSIONS; session += 1) {
    const usage = Array.from({ length: CALLS }, (_, index): UsageRow => {
      const cost = index % 3 === 0 ? {} : { cost: { nano: index, currency: index % 3 === 1 ? 'USD' : 'EUR' } }
      const told = index % 7 === 0 ? {} : { usage: { inputTokens: index, outputTokens: 1, ...cost } }
      const key = index % 2 === 0 ? {} : { keyId: `key_${session % 3}` }
      return {
        callId: asEntryId(`entry_${index}`),
        kind: index % 5 === 0 ? 'compaction' : 'step',
        userId: asUserId(`user${session % 2}`),
        turnId: asTurnId(`turn_${session}_${index % 4}`),
        loops: [ROOT_LOOP],
        agent: `agent${index % 2}`,
        model: `some/model${index % 4}`,
        ...key,
        ...told,
      }
    })
    const paused = { type: 'turn.paused', turnId: asTurnId('turn_1') } as const
    await opened.events.append({
      sessionId: asSessionId(`session_${session}`),
      expectedSeq: 0,
      create: { userId: asUserId(`user${session % 2}`) },
      at: AT + session * (DAY_MS / 4),
      events: [paused],
      wanted: false,
      usage,
    })
  }
  return opened
}

describe('many model calls', () => {
  it('come to the same, whether days or single calls are added up', async () => {
    const { usage, close } = await openFull()
    const groupings: UsageGrouping[][] = [[], ['model'], ['key', 'day'], ['user', 'agent', 'kind'], ['day']]
    for (const by of groupings) {
      for (const asked of [{}, { userId: asUserId('user1') }, { keyId: 'key_2' }]) {
        const days = await usage.sumUsage({ by, limit: 1000, ...asked })
        // Not at a day boundary, so every call is read.
        const single = await usage.sumUsage({ by, limit: 1000, ...asked, from: 1 })
        const sorted = (sums: readonly object[]) => sums.map((sum) => JSON.stringify(sum)).toSorted()
        expect(sorted(single)).toEqual(sorted(days))
      }
    }
    await close()
  })

  it('are each counted once over all pages', async () => {
    const { usage, close } = await openFull()
    const bySession = await usage.sumUsage({ by: ['session'], limit: 1000 })
    expect(bySession.map(({ calls }) => calls)).toEqual(Array<number>(SESSIONS).fill(CALLS))
    expect(await usage.sumUsage({ by: ['turn'], limit: 1000 })).toHaveLength(SESSIONS * 4)
    const ofUser = await usage.sumUsage({ by: ['session'], userId: asUserId('user0'), limit: 1000 })
    expect(ofUser.map(({ calls }) => calls)).toEqual(Array<number>(SESSIONS / 2).fill(CALLS))
    const early = await usage.sumUsage({ by: ['session'], until: AT + DAY_MS, limit: 1000 })
    expect(early).toHaveLength(4)
    await close()
  })

  it('are added up without holding up anybody for long', async () => {
    const { usage, close } = await openFull()
    let turns = 0
    const count = (): void => {
      turns += 1
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    await usage.sumUsage({ by: ['turn', 'model'], limit: 1000 })
    clearImmediate(timer)
    expect(turns).toBeGreaterThanOrEqual(3)
    await close()
  })
})
