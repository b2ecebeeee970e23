// Creates the golden log of the current schema: `node tests/storage-faults/upgrade/make-golden-log.ts`. Run it once
// when a schema is released, and never again for that schema: a released log must stay readable forever.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { V3 } from '../../support/aap-dialect.ts'
import { type AapSession, openSession } from '../../support/aap-session.ts'
import { askOwner } from '../../support/owner-socket.ts'
import { NEXT, call, script } from '../../support/script.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { dumpDatabase } from './dump-database.ts'
import { GOLDEN, readHistories, readMemories, readRules, readStates } from './golden-log.ts'

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const temp = await createTempDir()
try {
  let server = await startServerProcess({ dataDir: temp.path })
  await liveALittle(server)
  await makeRules(temp.path)
  await makeMemories(temp.path)
  const interrupted = await startLongTurn(server)
  await server.kill()
  server = await startServerProcess({ dataDir: temp.path })
  await untilTakenOver(server, interrupted)
  await server.stop()

  const file = join(temp.path, 'polylogue.db')
  const { version, sql } = dumpDatabase(file)
  const states = await readStates(file)
  const rules = await readRules(file)
  const memories = await readMemories(file)
  server = await startServerProcess({ dataDir: temp.path })
  const histories = await readHistories(server.client(V3), Object.keys(states))
  await server.stop()

  const folder = join(GOLDEN, `schema-${version}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'database.sql'), sql)
  writeFileSync(
    join(folder, 'expected.json'),
    `${JSON.stringify({ states, histories, rules, memories }, undefined, 2)}\n`,
  )
} finally {
  await temp.remove()
}

/** One session for each kind of content that a log can have. */
async function liveALittle(server: ServerProcess): Promise<void> {
  const client = server.client(V3)
  const echo = { name: 'echo', description: 'says it again', parameters: { type: 'object', properties: {} } }

  const spoken = await openSession(client)
  await spoken.turn(script('think about it', 'say hello there', 'stop end_turn'))
  await spoken.turn(script('say cut', 'stop max_tokens'))
  await spoken.turn(script('say no', 'stop refusal'))
  await spoken.turn(script('say half', 'fail'))
  await spoken.turn(script('say open', 'nostop'))

  const trusting = await openSession(client, { tools: ['echo', 'boom', 'slow'].map((name) => ({ name, trust: true })) })
  await trusting.turn(script(call('a1', 'echo', { msg: 'one' }), call('a2', 'boom'), NEXT, 'say two results'))
  await cancelMidway(trusting)

  const asking = await openSession(client, { tools: [{ name: 'echo' }] })
  await asking.turn(script(call('b1', 'echo', { msg: 'may I' }), NEXT, 'say thanks'))
  await asking.turn([{ role: 'tool_permission', toolCallId: 'b1', granted: true }])
  await asking.turn(script(call('b2', 'echo', { msg: 'again' }), NEXT, 'say a pity'))
  await asking.turn([{ role: 'tool_permission', toolCallId: 'b2', granted: false, reason: 'not now' }])
  await asking.turn(script(call('b3', 'echo', { msg: 'still open' })))

  const own = { ...echo, name: 'own' }
  const clientSide = await openSession(client, { clientTools: [own] })
  await clientSide.turn(script(call('c1', 'own', { question: 1 }), NEXT, 'say so it is'))
  await clientSide.turn([{ role: 'tool', toolCallId: 'c1', content: 'forty-two' }])
  await clientSide.turn(script(call('c2', 'own', { question: 2 })))

  const seeded = await openSession(client, {
    seed: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what is this' },
          { type: 'image', url: PIXEL },
        ],
      },
      { role: 'assistant', content: 'a pixel' },
    ],
    options: { apiKey: 'sk-of-the-golden-log', language: 'Zażółć 漢字' },
  })
  await seeded.turn(script('say still a pixel', '漢字 and 🦜'))

  await seeded.turn('say in another language', { agent: { options: { language: 'Español' } } })

  const receipted = await openSession(client)
  await client.turn(
    receipted.id,
    { messages: [{ role: 'user', content: 'say once' }] },
    { 'idempotency-key': 'golden' },
  )
  const gone = await openSession(client)
  await client.remove(gone.id)
}

async function makeRules(dataDir: string): Promise<void> {
  for (const body of [
    { tool: 'Bash', args: { command: '^ls \\w+$' }, action: 'allow' },
    { tool: 'WebFetch', domain: { blocklist: ['.example'], url_arg: 'target' }, action: 'deny' },
    { tool: '漢字.*' },
  ]) {
    await askOwner(dataDir, { method: 'POST', path: '/api/polylogue/permissions', body })
  }
}

/** Covers all fields, another language, a correction, a disabled memory and a removed one. */
async function makeMemories(dataDir: string): Promise<void> {
  const ask = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<unknown> =>
    askOwner(dataDir, { method, path: `/api/polylogue/memory${path}`, ...(body !== undefined && { body }) })
  const labels = { skillName: 'deploy', recordType: 'skill-comment', scope: 'kiwi', owner: 'ops', topic: 'servers' }
  await ask('POST', '', { content: 'Deploy on Tuesdays only', ...labels, externalId: 'mem0-1', writeReason: 'said so' })
  await ask('POST', '', { content: '数据库密码每月更换一次', type: 'experience' })
  await ask('POST', '', { content: 'Deploy on Fridays only', supersedes: 1 })
  await ask('POST', '', { content: 'Green tea 🍵' })
  await ask('PATCH', '/4', { disabled: true })
  await ask('POST', '', { content: 'forget this' })
  await ask('DELETE', '/5')
}

async function startLongTurn(server: ServerProcess): Promise<string> {
  const session = await openSession(server.client(V3))
  const stream = await session.stream('delta', script('say before the kill', 'sleep 400', 'say after it'))
  await stream.until(({ data }) => String(data['delta']).includes('kill'))
  stream.cut()
  return session.id
}

async function untilTakenOver(server: ServerProcess, id: string): Promise<void> {
  await (await server.client(V3).events(id, '?after=0')).finished()
}

async function cancelMidway(session: AapSession): Promise<void> {
  const stream = await session.stream('delta', script('say before the cancel', 'sleep 60000'))
  await stream.until(({ data }) => String(data['delta']).includes('cancel'))
  await session.client.cancel(session.id)
  await stream.finished()
}
