import { gist } from '../aap/gist.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { readThroughCuts } from './support/resuming-client.ts'

export interface SleptTurn {
  readonly connections: number
  /** What it was told in the end, and what anybody reads who asks afterwards. */
  readonly told: readonly unknown[]
  readonly stored: readonly unknown[]
}

/** A client that stops reading as soon as the answer begins, as a browser's tab in the background may; then wakes. */
export async function sleepThroughTurn(
  server: ServerProcess,
  content: string,
  sleep: () => Promise<void>,
): Promise<SleptTurn> {
  const { id, client } = await openSession(server.client(V3))
  const body = { stream: 'delta', messages: [{ role: 'user', content }] }
  let hasSlept = false
  const { frames, connections } = await readThroughCuts({
    begin: client.exchange('POST', V3.turns(id), { body, headers: { 'idempotency-key': id } }),
    resume: (lastId) => client.exchange('GET', `${V3.session(id)}/events?after=${lastId}`),
    async beforeReading() {
      if (hasSlept) return
      hasSlept = true
      await sleep()
    },
  })
  return { connections, told: gist(frames), stored: gist(await (await client.events(id)).finished()) }
}
