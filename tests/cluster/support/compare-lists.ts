import { join } from 'node:path'
import { asSessionId, asUserId, type Stores } from '@polylogue/engine'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { createSeededRandom } from '../../storage-faults/seeded-random.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { until } from '../dispatch/dispatch.ts'

export interface ListPlan {
  readonly sessions: number
  readonly seed: string
}

const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }
const WORDS = ['Äpfel', 'apples', 'Zebra', 'zebra', 'ß', 'tea', 'été', '茶', '_', '%', '10', '9']
const QUERIES = [
  {},
  { isStarted: true as const },
  { text: 'zebra' },
  { text: 'ä' },
  { text: '茶' },
  { directory: '/home/ann/tea' },
]
const said = { type: 'turn.cancel-requested', turnId: 'turn_1' as never, reason: 'list' } as const

/** Stores the same sessions with many equal times and similar titles in these stores and in a file. Returns which lists differ. */
export async function compareLists(stores: Stores, { sessions, seed }: ListPlan): Promise<readonly string[]> {
  const folder = await createTempDir()
  const sqlite = await openSqliteStores({ file: join(folder.path, 'lists.db'), clock })
  try {
    const random = createSeededRandom(seed)
    const userId = asUserId(`lister-${seed}`)
    for (let made = 0; made < sessions; made += 50) {
      const batch = Array.from({ length: 50 }, (_, index) => {
        const title = `${random.pick(WORDS)} ${random.pick(WORDS)} ${random.int(20)}`
        const listing = {
          ...{ title, isPinned: random.int(10) === 0, isStarted: random.int(4) > 0, changedAt: random.int(200) },
          ...(random.int(3) === 0 && { directory: `/home/ann/${random.pick(WORDS)}` }),
        }
        const sessionId = asSessionId(`0190${random.int(1e9).toString(16)}-${made + index}`)
        const at = 1_000 + random.int(500)
        return { sessionId, expectedSeq: 0, at, events: [said], wanted: false, create: { userId }, listing }
      })
      for (const { events } of [sqlite, stores]) await Promise.all(batch.map((request) => events.append(request)))
    }
    await untilIndexed(sqlite, userId)
    const [here, there] = [await readLists(stores, userId), await readLists(sqlite, userId)]
    return Object.entries(there).flatMap(([name, list]) =>
      list === here[name] && !list.startsWith('0 ') ? [] : [`${name}: ${here[name]}, on SQLite ${list}`],
    )
  } finally {
    await sqlite.close()
    await folder.remove()
  }
}

type Lister = ReturnType<typeof asUserId>

/** The embedded store indexes texts after it has stored them. */
async function untilIndexed({ events }: Stores, userId: Lister): Promise<void> {
  const isWhole = async (): Promise<true | undefined> =>
    (await events.findSessions({ userId, limit: 1, offset: 0, text: 'zebra' })).isPartial ? undefined : true
  await until(isWhole, 'the index is whole')
}

/** By name: how many sessions a list has, and their ids. */
async function readLists({ events }: Stores, userId: Lister): Promise<Readonly<Record<string, string>>> {
  const ids: string[] = []
  for (;;) {
    const before = ids.at(-1)
    const page = await events.listSessions({ userId, limit: 70, ...(before && { before: asSessionId(before) }) })
    if (page.length === 0) break
    ids.push(...page.map(({ sessionId }) => sessionId))
  }
  const found = QUERIES.map(async (query) => {
    const pages = [0, 40, 80].map((offset) => events.findSessions({ userId, limit: 40, offset, ...query }))
    const all = await Promise.all(pages)
    const rows = all.flatMap((page) => page.rows.map(({ sessionId }) => sessionId))
    return [JSON.stringify(query), `${all[0]?.total} ${rows.join(' ')}`] as const
  })
  return { all: `${ids.length} ${ids.join(' ')}`, ...Object.fromEntries(await Promise.all(found)) }
}
