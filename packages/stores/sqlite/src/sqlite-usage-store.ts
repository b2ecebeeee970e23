import type { DatabaseSync } from 'node:sqlite'
import type { Spending, UsageStore, UsageSum } from '@polylogue/engine'
import type { GroupCommit } from './group-commit.ts'
import { type Row, createUsageGroups, integerIn, textIn } from '@polylogue/store-rows'
import { isOfDays, prepareUsageSums, type UsagePage } from './usage-sums.ts'

export interface SqliteUsageStoreOptions {
  readonly db: DatabaseSync
  readonly commits: GroupCommit
}

export function createSqliteUsageStore({ db, commits }: SqliteUsageStoreOptions): UsageStore {
  const sums = prepareUsageSums(db)
  const selectDays = db.prepare(
    `SELECT currency, sum(calls) AS calls, sum(input_tokens + output_tokens) AS tokens, sum(nano) AS nano
     FROM usage_days WHERE key_id = ? AND day >= ? GROUP BY currency`,
  )

  return {
    async sumUsage(query): Promise<readonly UsageSum[]> {
      const by = [...new Set(query.by)]
      const groups = createUsageGroups(by)
      if (isOfDays(by, query)) {
        groups.add(await commits.read(() => sums.ofDays(by, query)))
      } else {
        let page: UsagePage = { rows: [] }
        do {
          const { next } = page
          page = await commits.read(() => sums.page(by, query, next))
          groups.add(page.rows)
          if (page.next !== undefined) await new Promise((resolve) => setImmediate(resolve))
        } while (page.next !== undefined)
      }
      return groups.list().slice(0, Math.max(0, query.limit))
    },
    spentWithKey: (keyId, fromDay) =>
      commits.read(() => selectDays.all(keyId, fromDay).reduce(addDays, { calls: 0, tokens: 0, nano: {} })),
  }
}

function addDays(spent: Spending, row: Row): Spending {
  const currency = textIn(row, 'currency')
  return {
    calls: spent.calls + integerIn(row, 'calls'),
    tokens: spent.tokens + integerIn(row, 'tokens'),
    nano: currency === '' ? spent.nano : { ...spent.nano, [currency]: integerIn(row, 'nano') },
  }
}
