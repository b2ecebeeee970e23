// fill-the-disk DIRECTORY: appends until the small disk is full, then frees space. Prints what happens.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StorageFault, asSessionId } from '@polylogue/engine'
import { openSqliteStores } from '../open-sqlite-stores.ts'
import { sampleAppend } from './sample-append.ts'
import { say } from './say.ts'
import { systemClock } from './system-clock.ts'

const [directory = ''] = process.argv.slice(2)
const file = join(directory, 'polylogue.db')
const ballast = join(directory, 'ballast')
writeFileSync(ballast, new Uint8Array(512 * 1024))

const sessionId = asSessionId('session-0')
const { events, close } = await openSqliteStores({ file, clock: systemClock })
let seq = 0

async function appendUntilFault(most: number): Promise<string> {
  for (let count = 0; count < most; count++) {
    try {
      const result = await events.append(sampleAppend(sessionId, seq, 16 * 1024))
      if (result.type !== 'appended') return result.reason
      seq = result.lastSeq
    } catch (error) {
      if (!(error instanceof StorageFault)) throw error
      return error.kind
    }
  }
  return 'appended'
}

const holds = async (): Promise<string> => {
  const head = await events.readHead(sessionId)
  let read = 0
  for (let more = 1; more > 0; read += more) more = (await events.readEvents(sessionId, read, 10_000)).length
  return head?.lastSeq === seq && read === seq && seq > 0 ? 'all of it' : 'something else'
}

say(`until it was full: ${await appendUntilFault(10_000)}`)
say(`a read gives ${await holds()}`)
say(`another try: ${await appendUntilFault(1)}`)
rmSync(ballast)
say(`with room again: ${await appendUntilFault(5)}`)
say(`a read gives ${await holds()}`)
await close()

const db = new DatabaseSync(file)
say(`the file is ${db.prepare('PRAGMA integrity_check').get()?.['integrity_check'] === 'ok' ? 'sound' : 'damaged'}`)
db.close()
