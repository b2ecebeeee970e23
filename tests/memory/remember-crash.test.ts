import { afterEach, beforeEach, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { textOf } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { startServerProcess } from '../support/server-process.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'

let temp: TempDir
beforeEach(async () => {
  temp = await createTempDir()
})
afterEach(() => temp.remove())

it('a server that dies after it remembered, and before it said so, remembers once', async () => {
  const environment = { POLYLOGUE_FAILPOINTS: 'tool.after-run=kill@1' }
  const dying = await startServerProcess({ dataDir: temp.path, environment })
  const session = await openSession(dying.client(V3), { tools: [{ name: 'Remember', trust: true }] })
  const turn = session.turn(script(call('m1', 'Remember', { content: 'We deploy on Tuesdays' }), NEXT, 'say done'))
  await expect(turn).rejects.toThrow(/socket hang up|ECONNRESET|closed|terminated/)
  await dying.kill()

  const server = await startServerProcess({ dataDir: temp.path })
  try {
    await (await server.client(V3).events(session.id, '?after=0')).finished()
    expect(textOf(await server.client(V3).history(session.id, 'full'))).toContain('done')
    const { body } = await exchangeJson<{ memories: readonly object[] }>({
      method: 'GET',
      url: `${server.url}/api/polylogue/memory`,
      headers: { authorization: `Bearer ${server.key}` },
    })
    expect(body.memories).toMatchObject([{ content: 'We deploy on Tuesdays', sourceSession: session.id }])
    expect(JSON.stringify(await server.client(V3).history(session.id, 'full'))).toContain('Known already as memory 1.')
  } finally {
    await server.stop()
  }
})
