// A log that is long enough for a mark: the marks of two processes, and of one after a restart.
import { createConsoleClient, createFetchTransport, type ConsoleClient } from '@polylogue/console/client'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { TestServer } from '../support/test-server.ts'

export const consoleOf = (server: TestServer): ConsoleClient =>
  createConsoleClient(createFetchTransport({ url: server.url, key: server.key }))

/** More than 256 events, in few commits. */
export async function playLongTurn(server: TestServer): Promise<string> {
  const session = await openSession(server.client(V3), { agent: 'scripted' })
  const calls = Array.from({ length: 260 }, (_, index) => call(`c${index}`, 'no_such_tool', {}))
  for (const turn of [script(...calls, NEXT, 'say done'), 'say and more'])
    await (await session.stream('delta', turn)).finished()
  return session.id
}
