import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { NEXT, call, script, shownMessages } from '../support/script.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { attachToolSession } from '../tools/tool-session.ts'

const PROGRAM = join(import.meta.dirname, '../../apps/server/src/session-tools/test-support/plain-mcp-server.ts')

let folder: TempDir
let server: ServerProcess | undefined
beforeEach(async () => {
  folder = await createTempDir()
})
afterEach(async () => {
  await server?.stop()
  await folder.remove()
})

async function start(delayMs = 0, failpoints = ''): Promise<ServerProcess> {
  const plain = {
    command: process.execPath,
    args: [PROGRAM, 'echo,picture,table'],
    env: { PLAIN_DELAY_MS: String(delayMs) },
    trusted: true,
  }
  await writeFile(join(folder.path, 'polylogue.config.json'), JSON.stringify({ mcpServers: { plain } }))
  server = await startServerProcess({
    dataDir: join(folder.path, 'data'),
    startDir: folder.path,
    environment: { POLYLOGUE_FAILPOINTS: failpoints },
  })
  return server
}

const untilReady = ({ url, key }: ServerProcess) =>
  eventually(async () => {
    const { body } = await exchangeJson<{ readonly servers: readonly { readonly state: string }[] }>({
      method: 'GET',
      url: `${url}/api/polylogue/mcp`,
      headers: { authorization: `Bearer ${key}` },
    })
    return body.servers[0]?.state === 'ready' ? true : undefined
  }, 'the MCP server is ready')

const TOOLS = ['echo', 'picture', 'table'].map((name) => ({ name: `mcp_plain_${name}`, trust: true }))

it('an image and a structured result reach the model, and stay in the history', async () => {
  const running = await start()
  await untilReady(running)
  const session = await openSession(running.client(V3), { tools: TOOLS })
  const { messages } = await session.turn(
    script(call('p1', 'mcp_plain_picture'), call('t1', 'mcp_plain_table'), NEXT, 'show messages'),
  )
  const last = messages.at(-1)
  if (last === undefined) throw new Error('no answer')
  const given = shownMessages([last]).filter(({ role }) => role === 'tool')
  expect(given).toMatchObject([
    { toolCallId: 'p1', content: [{ type: 'text', text: 'one pixel' }, { type: 'image' }] },
    { toolCallId: 't1', content: '{"rows":[{"city":"Rome","degrees":21}]}' },
  ])
  const results = (await session.history('full')).filter(({ role }) => role === 'tool')
  expect(JSON.stringify(results)).toContain('data:image/png;base64,iVBORw0KGgo')
  const events = await attachToolSession(running, session.id).events()
  const settled = events.find(({ event }) => event.type === 'tool-call.settled' && event['toolCallId'] === 't1')
  expect(settled?.event).toMatchObject({ meta: { structuredContent: { rows: [{ city: 'Rome', degrees: 21 }] } } })
})

it('a call that a crash cut runs again when its server is there, though that takes a while to start', async () => {
  const dying = await start(0, 'tool.before-run=kill@1')
  await untilReady(dying)
  const session = await openSession(dying.client(V3), { tools: TOOLS })
  const turn = session.turn(script(call('e1', 'mcp_plain_echo', { msg: 'hello' }), NEXT, 'say done'))
  await expect(turn).rejects.toThrow(/socket hang up|ECONNRESET|closed|terminated/)
  await dying.kill()

  const running = await start(1_200)
  await (await running.client(V3).events(session.id, '?after=0')).finished()
  expect(await attachToolSession(running, session.id).callOf('e1')).toMatchObject({
    status: 'completed',
    output: 'hello',
  })
})
