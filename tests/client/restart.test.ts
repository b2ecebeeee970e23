// A server that is killed in the middle of an answer and started again, as the clients see it.
import { AapSession, createAapClient } from '@polylogue/client/aap'
import { createBlade } from '@polylogue/client/blade'
import { expect, it, onTestFinished } from 'vitest'
import { NEXT, call, script } from '../support/script.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { ended, turnsOf } from './cut-points.ts'
import { startCutProxy } from './cut-proxy.ts'

it('clients of both protocols end with what the server has, nothing doubled and nothing missing', async () => {
  const dir = await createTempDir()
  onTestFinished(() => dir.remove())
  let server = await startServerProcess({ dataDir: dir.path })
  onTestFinished(() => server.kill())
  const proxy = await startCutProxy(server.url)
  onTestFinished(() => proxy.stop())
  const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>()
  const { key } = server

  const blade = createBlade({ url: proxy.url, token: key, reconnectAfterMs: 50 })
  onTestFinished(() => blade.close())
  const client = createAapClient({ baseUrl: `${proxy.url}/aap/v3`, key, reconnect: () => isBack })
  const session = await AapSession.create(client, {
    agent: { name: 'scripted', tools: [{ name: 'echo', trust: true }] },
  })
  const store = blade.open(session.id ?? '')
  await store.ready()

  const events: string[] = []
  const lines = ['say one two', call('e1', 'echo', { msg: 'hi' }), NEXT, 'say three', 'sleep 1500', 'say four']
  for await (const event of session.send(script(...lines))) {
    events.push(event.event)
    if (event.event !== 'text_delta' || !event.delta.startsWith('three')) continue
    if (events.includes('killed')) continue
    events.push('killed')
    await server.kill()
    server = await startServerProcess({ dataDir: dir.path })
    proxy.target = server.url
    comeBack()
  }
  expect(session.stopReason).toBe('end_turn')
  expect(events.filter((event) => event === 'turn_stop')).toHaveLength(1)
  expect(events.filter((event) => event === 'tool_result')).toHaveLength(1)
  const local = session.messages
  await session.reload()
  expect(local).toEqual(session.messages)
  expect(turnsOf(await ended(store))).toEqual(await blade.api.messages(store.id))
})
