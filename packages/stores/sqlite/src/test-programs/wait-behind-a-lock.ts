// wait-behind-a-lock FILE: opens a database, then appends, each while another connection holds the lock for three
// attempts. Only the wait keeps the process alive.
import { DatabaseSync } from 'node:sqlite'
import { asSessionId, type Clock } from '@polylogue/engine'
import { makeDatabase } from '../make-database.ts'
import { openSqliteStores } from '../open-sqlite-stores.ts'
import { sampleAppend } from './sample-append.ts'
import { say } from './say.ts'
import { systemClock } from './system-clock.ts'

const LONGEST_PAUSE_MS = 50
const [file = ''] = process.argv.slice(2)
makeDatabase(file)
const other = new DatabaseSync(file)
let attempts = 0
const hold = (): void => {
  attempts = 0
  other.exec('BEGIN IMMEDIATE')
}
const clock: Clock = {
  ...systemClock,
  setTimer(ms, run) {
    // Longer timers are not waits for the lock.
    if (ms <= LONGEST_PAUSE_MS && ++attempts === 3) other.exec('ROLLBACK')
    return systemClock.setTimer(ms, run)
  },
}

hold()
const { events, close } = await openSqliteStores({ file, clock })
say(`opened after ${attempts} pauses`)
hold()
await events.append(sampleAppend(asSessionId('session-0'), 0))
say(`appended after ${attempts} pauses`)
await close()
other.close()
