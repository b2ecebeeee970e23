import { asSessionId, type Recorded } from '@polylogue/engine'
import type { DoorsRow, PresentedMessage, doorOperations } from '../contract/doors.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps, PresentedDoor } from './deps.ts'

type DoorDeps = Pick<ConsoleDeps, 'engine' | 'events' | 'doors'>

const PAGE = 500
/**
 * Of the rows of one answer, in UTF-16 units: every door shows every event, so a page of the log grows several times. Two rows are
 * always sent, because a client reads the last row of a page again.
 */
const ROWS_LENGTH = 1024 * 1024

/** A projection by the functions that serve real clients: nothing is tapped and nothing is sent. */
export function answerDoors({ engine, events, doors }: DoorDeps): Answers<typeof doorOperations> {
  return {
    async readDoors({ caller: { userId }, params, query: { after, limit } }) {
      const sessionId = asSessionId(params.id)
      // The engine refuses a session of another user as an unknown one; the store does not look at users.
      const { lastSeq } = await engine.readSession(userId, sessionId)
      const presented = doors.present({ userId, sessionId })
      const rows: DoorsRow[] = []
      // A message depends on the events before it, so presentations read the log from its start.
      let length = 0
      const isFull = (): boolean => rows.length === limit || (rows.length > 1 && length > ROWS_LENGTH)
      for (let seq = 0; !isFull();) {
        const page = await events.readEvents(sessionId, seq, PAGE)
        for (const recorded of page) {
          if (isFull()) break
          const row = await presentRow(presented, recorded)
          if (recorded.seq <= after) continue
          rows.push(row)
          length += JSON.stringify(row).length
        }
        seq = page.at(-1)?.seq ?? seq
        if (page.length === 0) break
      }
      return { doors: presented.map(({ name }) => name), rows: settle(rows, presented), last: lastSeq }
    },

    async readClients({ caller: { userId }, params }) {
      const sessionId = asSessionId(params.id)
      const { lastSeq } = await engine.readSession(userId, sessionId)
      const clients = await doors.clients(sessionId)
      return {
        clients: clients.map(({ cursor, ...client }) =>
          cursor === undefined ? client : { ...client, cursor, lag: Math.max(0, lastSeq - cursor) },
        ),
      }
    },
  }
}

/** What each door makes of an event. Contract: called with the events in order, from the first. */
export async function presentRow(doors: readonly PresentedDoor[], recorded: Recorded): Promise<DoorsRow> {
  const { seq, at, event } = recorded
  const shown: Record<string, readonly PresentedMessage[]> = {}
  for (const { name, presentation } of doors) shown[name] = await presentation.recorded(recorded)
  return { seq, at, event: { ...event }, shown }
}

/** Adds the messages that waited for the next event. The same row if there are none. */
export function settleRow(row: DoorsRow, doors: readonly PresentedDoor[]): DoorsRow {
  const waited = doors.map(({ name, presentation }) => [name, presentation.settle()] as const)
  if (waited.every(([, messages]) => messages.length === 0)) return row
  const shown = waited.map(([name, messages]) => [name, [...(row.shown[name] ?? []), ...messages]] as const)
  return { ...row, shown: Object.fromEntries(shown) }
}

function settle(rows: readonly DoorsRow[], doors: readonly PresentedDoor[]): DoorsRow[] {
  const last = rows.at(-1)
  return last === undefined ? [] : [...rows.slice(0, -1), settleRow(last, doors)]
}
