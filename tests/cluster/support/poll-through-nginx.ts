// A client of Socket.IO that polls, and a proxy that sends each request to the other node than the one before.
import { connectLive } from '../../blade/live-client.ts'
import { createRestClient } from '../../blade/rest-client.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { createTestDatabase } from '../../support/test-database.ts'
import { prepareNodes } from './nodes.ts'
import { findFreePort, startNginx, type StartedNginx } from './start-nginx.ts'

export interface PolledNodes {
  readonly a: ServerProcess
  readonly b: ServerProcess
  readonly nginx: StartedNginx
  remove(): Promise<void>
}

/** Messages that are under way at the same time. */
const AT_ONCE = 50
const ANSWERS = 3

export async function startPolledNodes(): Promise<PolledNodes> {
  const database = await createTestDatabase()
  const nodes = await prepareNodes(database.url)
  const start = async (name: string): Promise<ServerProcess> => {
    const port = String(await findFreePort())
    return nodes.start(name, { flags: ['--port', port, '--node-url', `http://127.0.0.1:${port}`] })
  }
  const [a, b] = [await start('a'), await start('b')]
  const nginx = await startNginx(nodes.folder, [a.url, b.url])
  return {
    ...{ a, b, nginx },
    async remove() {
      await nginx.stop()
      await nodes.remove()
      await database.drop()
    },
  }
}

export async function pollThroughNginx(messages: number): Promise<readonly string[]> {
  const { a, nginx, remove } = await startPolledNodes()
  try {
    return await poll({ url: nginx.url, key: a.key }, messages)
  } finally {
    await remove()
  }
}

/** Returns which messages were not answered, and which events did not arrive once. */
export async function poll(at: { readonly url: string; readonly key: string }, messages: number) {
  const complaints: string[] = []
  const id = await createRestClient(at).create({ solution_id: 'scripted' })
  const live = await connectLive({ url: at.url, token: at.key, transports: ['polling'] })
  for (let sent = 0; sent < messages; sent += AT_ONCE) {
    const acks = await Promise.all(Array.from({ length: AT_ONCE }, () => live.client.subscribe(id)))
    const refused = acks.filter(({ status }) => status !== 'ok')
    if (refused.length > 0) complaints.push(`after ${sent} messages, ${refused.length} are answered with an error`)
  }
  for (let answer = 1; answer <= ANSWERS; answer++) {
    await live.client.send(id, `say answer ${answer}`)
    await live.ends(answer)
  }
  const texts = JSON.stringify(live.client.state(id).turns)
  for (let answer = 1; answer <= ANSWERS; answer++)
    if (!texts.includes(`answer ${answer}`)) complaints.push(`answer ${answer} is missing`)
  const ends = live.told.filter(({ event }) => event === 'chat:end').length
  if (ends !== ANSWERS) complaints.push(`${ends} ends of ${ANSWERS} turns arrived`)
  return complaints
}
