// append-until-killed FILE SESSIONS: appends to many sessions at the same time and prints `ack SESSION SEQ` for each.
import { asSessionId } from '@polylogue/engine'
import { openSqliteStores } from '../open-sqlite-stores.ts'
import { sampleAppend } from './sample-append.ts'
import { say } from './say.ts'
import { systemClock } from './system-clock.ts'

const [file = '', sessions = '1'] = process.argv.slice(2)
const { events } = await openSqliteStores({ file, clock: systemClock })

async function appendForever(name: string): Promise<void> {
  for (let seq = 0; ; seq++) {
    const result = await events.append(sampleAppend(asSessionId(name), seq))
    if (result.type !== 'appended') throw new Error(result.reason)
    say(`ack ${name} ${result.lastSeq}`)
  }
}

await Promise.all(Array.from({ length: Number(sessions) }, (_, index) => appendForever(`session-${index}`)))
