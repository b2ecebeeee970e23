// play-through-errors FILE SESSIONS TURNS SIZE: plays sessions in two rounds, with the store closed and opened again in
// between, and prints `ack SESSION SEQ` for each append. After a fault it prints `fault KIND`, tries three more writes
// (`again KIND`, or `ack SESSION SEQ`), reads (`head SESSION SEQ`, or `unreadable KIND`), and ends. A store that cannot be
// opened prints `refused SENTENCE`. Anything else is a bug and ends the process with a stack trace.
import { StorageFault, type EventStore } from '@polylogue/engine'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { systemClock } from '../system-clock.ts'
import { OWNER, batchesOfTurn, sessionIdOf } from '../workload/session-log.ts'
import { playSession } from '../workload/play-session.ts'
import { say } from './say.ts'

const [file = '', sessions = '1', turns = '1', size = '1'] = process.argv.slice(2)
const numbers = Array.from({ length: Number(sessions) }, (_, index) => index + 1)
const stored = (session: number, lastSeq: number): void => say(`ack ${session} ${lastSeq}`)

/** `undefined` on success. */
async function faultOf(work: Promise<unknown>): Promise<StorageFault | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof StorageFault) return error
    throw error
  }
}

async function tryAgain(store: EventStore): Promise<void> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const session = numbers.length + attempt
    const [batch] = batchesOfTurn(session, 1, Number(size))
    const write = store.append({
      sessionId: sessionIdOf(session),
      expectedSeq: 0,
      create: { userId: OWNER },
      at: 1_000,
      events: batch?.events ?? [],
      wanted: false,
    })
    const fault = await faultOf(write)
    if (fault !== undefined) say(`again ${fault.kind}`)
    else say(`ack ${session} ${batch?.events.length}`)
  }
}

async function readBack(store: EventStore): Promise<void> {
  for (const session of numbers) {
    let seq = 0
    const fault = await faultOf(store.readHead(sessionIdOf(session)).then((head) => (seq = head?.lastSeq ?? 0)))
    say(fault === undefined ? `head ${session} ${seq}` : `unreadable ${fault.kind}`)
  }
}

/** `false` when the program cannot continue. */
async function playRound(after: number): Promise<boolean> {
  let stores
  try {
    stores = await openSqliteStores({ file, clock: systemClock })
  } catch (error) {
    say(`refused ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
  const { events } = stores
  const options = { after, turns: Number(turns), size: Number(size), stored }
  const faults = await Promise.all(numbers.map((session) => faultOf(playSession(events, { ...options, session }))))
  const fault = faults.find((each) => each !== undefined)
  if (fault !== undefined) {
    say(`fault ${fault.kind} ${fault.message}`)
    await tryAgain(events)
    await readBack(events)
  }
  await stores.close()
  return fault === undefined
}

if (await playRound(0)) await playRound(Number(turns))
say('end')
