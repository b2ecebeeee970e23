import { AapSession, createAapClient, type WireMessage } from '@polylogue/client/aap'
import { createBlade } from '@polylogue/client/blade'
import { NEXT, call, script } from '../support/script.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { ended, turnsOf } from './cut-points.ts'
import { startCutProxy } from './cut-proxy.ts'

export interface Restarted {
  /** What came over AAP, by name, in order. */
  readonly events: readonly string[]
  readonly stopReason: string | undefined
  readonly aap: { readonly local: readonly WireMessage[]; readonly server: readonly WireMessage[] }
  readonly blade: { readonly local: readonly unknown[]; readonly server: readonly unknown[] }
}

const SCRIPT = script(
  'think hm',
  'say one two',
  call('e1', 'echo', { msg: 'hi' }),
  NEXT,
  'say three',
  'sleep 400',
  'say four',
)

/** A turn that two clients follow, AAP and Blade, while the server is killed after so many events and started again. */
export async function converseThroughRestart(killAfter: number): Promise<Restarted> {
  const dir = await createTempDir()
  let server = await startServerProcess({ dataDir: dir.path })
  const proxy = await startCutProxy(server.url)
  const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>()
  const { key } = server
  const blade = createBlade({ url: proxy.url, token: key, reconnectAfterMs: 50 })
  try {
    const client = createAapClient({ baseUrl: `${proxy.url}/aap/v3`, key, reconnect: () => isBack })
    const session = await AapSession.create(client, {
      agent: { name: 'scripted', tools: [{ name: 'echo', trust: true }] },
    })
    const store = blade.open(session.id ?? '')
    await store.ready()
    const events: string[] = []
    for await (const event of session.send(SCRIPT)) {
      if (events.push(event.event) !== killAfter) continue
      await server.kill()
      server = await startServerProcess({ dataDir: dir.path })
      proxy.target = server.url
      comeBack()
    }
    const local = session.messages
    await session.reload()
    return {
      events,
      stopReason: session.stopReason,
      aap: { local, server: session.messages },
      blade: { local: turnsOf(await ended(store)), server: await blade.api.messages(store.id) },
    }
  } finally {
    blade.close()
    await proxy.stop()
    await server.kill()
    await dir.remove()
  }
}
