// append-through-faults FILE COUNT [SIZE]: appends one by one and prints `ack SEQ`, or `fault KIND` and then tries
// three more times. At the end it prints `head SEQ`, the last readable event.
import { StorageFault, asSessionId } from '@polylogue/engine'
import { openSqliteStores } from '../open-sqlite-stores.ts'
import { sampleAppend } from './sample-append.ts'
import { say } from './say.ts'
import { systemClock } from './system-clock.ts'

const [file = '', count = '1', size = '100'] = process.argv.slice(2)
const sessionId = asSessionId('session-0')
const { events } = await openSqliteStores({ file, clock: systemClock })
let seq = 0
let faults = 0

while (seq < Number(count) && faults < 4) {
  try {
    const result = await events.append(sampleAppend(sessionId, seq, Number(size)))
    if (result.type !== 'appended') throw new Error(result.reason)
    seq = result.lastSeq
    say(`ack ${seq}`)
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error
    faults += 1
    say(`fault ${error.kind}`)
  }
}
say(`head ${(await events.readHead(sessionId))?.lastSeq}`)
