// play-twice FILE SESSIONS TURNS SIZE [PRAGMA…]: plays sessions side by side, closes the store, opens it again and
// plays more turns, then deletes one session. Prints `ack SESSION SEQ` when an append is on disk, `deleting SESSION`
// before the deletion and `deleted SESSION` after it. Ends without closing. A pragma is one assignment, set after the
// store is opened. Before each `ack` it prints `index HEX`, the header of the log's index: SQLite writes it through
// memory, which no trace shows. (Reading it drops the locks of this process, which is the only one here.)
import { openSqliteStores } from '@polylogue/store-sqlite'
import { readFileSync } from 'node:fs'
import { playSession } from '../workload/play-session.ts'
import { sessionIdOf } from '../workload/session-log.ts'
import { say } from './say.ts'
import { watchDatabases } from './set-pragma.ts'
import { systemClock } from '../system-clock.ts'

const [file = '', sessions = '1', turns = '1', size = '1', ...pragmas] = process.argv.slice(2)
const INDEX_HEADER_BYTES = 136
const databases = watchDatabases()

async function playAll(after: number) {
  const stores = await openSqliteStores({ file, clock: systemClock })
  for (const pragma of pragmas) databases.setPragma(pragma)
  const stored = (session: number, lastSeq: number): void => {
    say(`index ${readFileSync(`${file}-shm`).subarray(0, INDEX_HEADER_BYTES).toString('hex')}`)
    say(`ack ${session} ${lastSeq}`)
  }
  const play = (session: number): Promise<void> =>
    playSession(stores.events, { session, after, turns: Number(turns), size: Number(size), stored })
  await Promise.all(Array.from({ length: Number(sessions) }, (_, index) => play(index + 1)))
  return stores
}

await (await playAll(0)).close()
const { events } = await playAll(Number(turns))
say('deleting 1')
await events.deleteSession(sessionIdOf(1))
say('deleted 1')
