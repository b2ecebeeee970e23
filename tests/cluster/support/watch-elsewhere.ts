// Turns at one node, and readers at another one.
import { asSessionId } from '@polylogue/engine'
import { openPostgresStores } from '@polylogue/store-postgres'
import { checkHistory } from '../../checker/check-history.ts'
import { toReaderHistories } from '../../crash/seen-by-client.ts'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { NEXT, call, script } from '../../support/script.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { createTestDatabase } from '../../support/test-database.ts'
import { prepareNodes } from './nodes.ts'
import { readWholeLog } from '../../support/read-whole-log.ts'

/** So many sessions work at the same time. */
const SESSIONS = 10
const TOOLS = [{ name: 'echo', trust: true }]
const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }

/** Each reader follows one session. Returns where it saw something else than what the log holds. */
export async function watchElsewhere(turns: number): Promise<readonly string[]> {
  const database = await createTestDatabase()
  const nodes = await prepareNodes(database.url)
  const stores = await openPostgresStores({ url: database.url, clock })
  try {
    const [runner, reader] = [await nodes.start('runner'), await nodes.start('reader')]
    const perSession = Math.ceil(turns / SESSIONS)
    const watched = Array.from({ length: SESSIONS }, () => watch({ runner, reader }, perSession))
    const found = await Promise.all(
      (await Promise.all(watched)).map(async ({ id, readers, complaints }) => {
        const stored = await readWholeLog(stores.events, asSessionId(id))
        const violations = checkHistory({ stored, acknowledged: [], readers, epochs: [], effects: [], toolEffects: {} })
        return [...complaints, ...violations.map(({ invariant, message }) => `${id}: ${invariant}: ${message}`)]
      }),
    )
    return found.flat()
  } finally {
    await stores.close()
    await nodes.remove()
    await database.drop()
  }
}

async function watch(nodes: { readonly runner: ServerProcess; readonly reader: ServerProcess }, turns: number) {
  const session = await openSession(nodes.runner.client(V3), { tools: TOOLS })
  const stream = await nodes.reader.client(V3, nodes.runner.key).events(session.id, '?follow=1&after=0')
  const complaints: string[] = []
  for (let turn = 0; turn < turns; turn++) {
    const text = `answer ${turn} in some words`
    const seen = stream.frames.length
    await session.turn(script(call(`c${turn}`, 'echo', { msg: 'x' }), NEXT, `say ${text}`))
    await stream.untilCount('turn_stop', turn + 1)
    const told = stream.frames
      .slice(seen)
      .map(({ event, data }) => (event === 'text_delta' ? String(data['delta']) : ''))
      .join('')
    if (told !== text) complaints.push(`${session.id}: turn ${turn} says "${told}" at the other node`)
  }
  stream.cut()
  return { id: session.id, readers: toReaderHistories(stream.frames, 0), complaints }
}
