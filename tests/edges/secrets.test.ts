// Secrets go in at many places and come out at none.
import { once } from 'node:events'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AapClient, createAapClient } from '../support/aap-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { exchangeText } from '../support/http-exchange.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { type Canaries, createCanaries } from './canaries.ts'
import { type EdgeServer, startEdgeServer } from './edge-server.ts'

const PROGRAM = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url))
const CONFIG = fileURLToPath(new URL('leaky.config.ts', import.meta.url))

const filesOf = (dataDir: string): string =>
  readdirSync(dataDir)
    .filter((name) => !name.endsWith('.sock') && !name.endsWith('.key'))
    .map((name) => readFileSync(join(dataDir, name), 'latin1'))
    .join('\n')

describe('S11: secrets of sessions', () => {
  const open = (server: EdgeServer, apiKey: string) => openSession(server.client(), { options: { apiKey } })
  const shown = async (client: AapClient, id: string) =>
    JSON.stringify((await attachSession(client, id).turn('show options')).messages)

  it('S11: are nowhere in the database or its log, also when they change, and are used all the same', async () => {
    const dir = await createTempDir()
    onTestFinished(() => dir.remove())
    const dataDir = join(dir.path, 'data')
    const server = await startEdgeServer({ dataDir })
    onTestFinished(() => server.stop())
    const canaries = createCanaries()
    const session = await open(server, canaries.put('at creation'))
    const before = await shown(server.client(), session.id)
    await session.turn('say x', { agent: { options: { apiKey: canaries.put('with a turn') } } })
    expect(await shown(server.client(), session.id)).not.toBe(before)
    await server.client().remove((await open(server, canaries.put('of a deleted session'))).id)
    expect(canaries.findIn(filesOf(dataDir))).toEqual([])
    await server.stop()
    expect(canaries.findIn(filesOf(dataDir))).toEqual([])
  })

  it('S11: stay readable through a change of the key, while sessions are in use', async () => {
    const dir = await createTempDir()
    onTestFinished(() => dir.remove())
    const dataDir = join(dir.path, 'data')
    let server = await startEdgeServer({ dataDir })
    onTestFinished(() => server.stop())
    const keyFile = join(dataDir, 'secret.key')
    const ids: string[] = []
    const answers = new Map<string, string>()
    for (let rotation = 0; rotation < 3; rotation++) {
      // Clients that do not stop asking, as far as there is somebody to ask.
      let isOver = false
      const load = Promise.all(
        Array.from({ length: 4 }, async (_, index) => {
          for (let round = 0; !isOver; round++) {
            const session = await open(server, `secret ${rotation}/${index}/${round}`)
            answers.set(session.id, await shown(server.client(), session.id))
            ids.push(session.id)
          }
        }).map((work) => work.catch((error: NodeJS.ErrnoException) => String(error.code ?? error.message))),
      )
      await eventually(async () => (ids.length >= (rotation + 1) * 12 ? true : undefined), 'sessions were made')
      writeFileSync(
        keyFile,
        `${Buffer.alloc(32, rotation + 1).toString('base64url')}\n${readFileSync(keyFile, 'utf8')}`,
      )
      await server.stop()
      isOver = true
      await load
      server = await startEdgeServer({ dataDir })
    }
    expect(readFileSync(keyFile, 'utf8').trim().split('\n')).toHaveLength(4)
    for (const [id, answer] of answers) expect(await shown(server.client(), id)).toBe(answer)
  })
})

interface LoggedServer {
  readonly url: string
  readonly key: string
  readonly signInUrl?: string
  readonly dataDir: string
  /** Everything that it wrote, to either stream. */
  output(): string
  readonly exited: Promise<unknown>
  readonly child: ChildProcess
}

async function startLogged(dataDir: string, canaries: Canaries): Promise<LoggedServer> {
  const args = ['serve', '--port', '0', '--json', '--scripted', '--data', dataDir, '--config', CONFIG]
  const child = spawn(process.execPath, [PROGRAM, ...args, '--key', canaries.put('flag --key')], {
    cwd: dataDir,
    env: {
      ...process.env,
      POLYLOGUE_LOG: 'debug',
      CANARY_IN_CONFIG: canaries.put('configuration'),
      LAB_SECRET: canaries.put('environment, secret'),
      OPENAI_API_KEY: canaries.put('environment, provider key'),
      GITHUB_TOKEN: canaries.put('environment, token'),
      OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  })
  const exited = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => Promise.reject(new Error(`it did not start: ${output}`))),
  ])) as [string]
  const { url, key } = JSON.parse(line) as { url: string; key: string }
  return { url, key, dataDir, child, exited, output: () => output }
}

/** What a tool is given and gives belongs to the session and stays in it; that is not a leak. */
const isSecret = (place: string): boolean => !place.startsWith('tool ')

describe('C27, T8, S12: canaries', () => {
  it(
    'C27: of those put into every place, none is in logs, metrics, answers, events or exports',
    { timeout: 60_000 },
    async () => {
      const dir = await createTempDir()
      onTestFinished(() => dir.remove())
      const canaries = createCanaries()
      const server = await startLogged(dir.path, canaries)
      const answers: string[] = []
      const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) => {
        const known = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
        const answer = await exchangeText({ method, url: server.url + path, headers: { ...known, ...headers }, body })
        answers.push(`${answer.status} ${JSON.stringify(answer.headers)} ${answer.text}`)
        return answer
      }
      const put = canaries.put
      await provokeHeaders(ask, put)
      await provokeBodies(ask, put)
      const client = createAapClient({ url: server.url, key: server.key, dialect: V3 })
      answers.push(...(await provokeTurns(client, put)))
      const exports = [
        await ask('GET', '/metrics'),
        await ask('GET', '/api/polylogue/sessions'),
        await ask('GET', '/api/polylogue/keys'),
      ]
      expect(exports.map(({ status }) => status)).toEqual([200, 200, 200])
      for (const { sessionId } of (JSON.parse(exports[1]?.text ?? '') as { sessions: { sessionId: string }[] })
        .sessions) {
        await ask('GET', `/api/polylogue/sessions/${sessionId}`)
        await ask('GET', `/aap/v3/sessions/${sessionId}/events`)
      }
      server.child.kill('SIGTERM')
      await server.exited

      expect(canaries.count).toBeGreaterThanOrEqual(40)
      const [, ...log] = server.output().split('\n')
      expect(canaries.findIn(log.join('\n'))).toEqual([])
      expect(canaries.findIn(answers.join('\n'), isSecret)).toEqual([])
      expect(canaries.findIn(filesOf(dir.path), isSecret)).toEqual([])
      // The log did tell of all this, one JSON object a line.
      const lines = log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { msg: string })
      expect(lines.length).toBe(log.filter(Boolean).length)
      const said = lines.map(({ msg }) => msg)
      expect(said).toEqual(expect.arrayContaining(['request', 'a turn ended', 'a model step failed', 'draining']))
    },
  )

  it.each(['throw', 'reject'])(
    'S20, C27: a bug that is a %s is logged without its secret, and ends the process after a drain',
    async (how) => {
      const dir = await createTempDir()
      onTestFinished(() => dir.remove())
      const canaries = createCanaries()
      const server = await startLogged(dir.path, canaries)
      const client = createAapClient({ url: server.url, key: server.key, dialect: V3 })
      const running = await openSession(client, { agent: 'scripted' })
      const finishing = running.turn('sleep 1500\nsay finished')
      const secret = canaries.put('secret option')
      const session = await openSession(client, {
        agent: 'leaky',
        options: { apiKey: secret },
        tools: [{ name: 'crash', trust: true }],
      })
      const crash = session.turn(`call c1 crash ${JSON.stringify({ secret, how })}`).catch((error: unknown) => error)
      expect(await finishing).toMatchObject({ stopReason: 'end_turn' })
      await server.exited
      await crash
      expect(server.child.exitCode).toBe(70)
      expect(server.output()).toMatch(
        /"err":\{"type":"Error","message":"bug with \*\*\* and Bearer \*\*\*".*"msg":"a bug: the server stops"/,
      )
      expect(canaries.findIn(server.output().split('\n').slice(1).join('\n'))).toEqual([])
    },
  )

  it('C27: an address of a database is not repeated when it is refused', async () => {
    const dir = await createTempDir()
    onTestFinished(() => dir.remove())
    const canaries = createCanaries()
    const address = `postgres://me:${canaries.put('database address')}@db.example/x?sslkey=${canaries.put('database query')}`
    for (const verb of ['serve', 'doctor', 'keys list']) {
      const args = [...verb.split(' '), '--data', dir.path, '--database', address]
      const { stdout, stderr } = await runPolylogue(args, { cwd: dir.path, input: '' })
      expect(stderr + stdout).toContain('The database db.example/x cannot be reached')
      expect(canaries.findIn(stderr + stdout)).toEqual([])
    }
  })
})

type Ask = (
  method: string,
  path: string,
  headers?: Record<string, string>,
  body?: unknown,
) => Promise<{ status: number }>
type Put = Canaries['put']

async function provokeHeaders(ask: Ask, put: Put): Promise<void> {
  const me = '/api/polylogue/me'
  const headers: readonly Record<string, string>[] = [
    { authorization: `Bearer ${put('wrong key')}` },
    { authorization: `Bearer sk-blade-v2-${put('wrong key of our shape')}` },
    { authorization: `Basic ${Buffer.from(`me:${put('basic password')}`).toString('base64')}` },
    { authorization: put('bare authorization') },
    { authorization: '', cookie: `polylogue_session=${put('wrong cookie')}`, 'sec-fetch-site': 'same-origin' },
    { cookie: `other=${put('foreign cookie')}` },
    { 'x-api-key': put('x-api-key') },
    { 'user-agent': put('user agent') },
    { referer: `https://a.example/?token=${put('referer')}` },
    { 'x-forwarded-for': put('forwarded address') },
    { origin: `https://${put('origin')}.example` },
    { host: `${put('host')}.example` },
    { 'last-event-id': put('last event id') },
    { 'idempotency-key': put('idempotency key') },
    { 'x-request-id': put('request id') },
    { 'x-line': `a\u009b31m${put('control characters')}` },
  ]
  for (const more of headers) await ask('GET', me, more)
  for (const path of [
    `${me}?api_key=${put('query api_key')}&x=1`,
    `${me}?token=${put('query token')}`,
    `/aap/v3/sessions/${put('path segment')}`,
    `/nowhere/${put('unknown path')}`,
    `/aap/v3/sessions?after=${put('cursor')}`,
    `/${put('file')}.js`,
  ]) {
    await ask('GET', path)
    await ask('DELETE', path)
  }
}

async function provokeBodies(ask: Ask, put: Put): Promise<void> {
  const sessions = '/aap/v3/sessions'
  const agent = (more: object) => ({ agent: { name: 'leaky', ...more } })
  await ask('POST', sessions, {}, `{"agent":{"name":"leaky","options":{"apiKey":"${put('malformed body')}"}}`)
  await ask('POST', sessions, {}, agent({ options: { apiKey: [put('option of a wrong type')] } }))
  await ask(
    'POST',
    sessions,
    {},
    agent({ options: { apiKey: put('option beside a wrong tool') }, tools: [{ name: 'no' }] }),
  )
  await ask('POST', sessions, {}, { agent: { name: put('agent name') } })
  await ask('POST', sessions, {}, `${'['.repeat(100)}"${put('deep body')}"`)
  await ask('POST', sessions, { 'content-encoding': 'gzip' }, put('compressed body'))
  await ask('POST', '/signin', { origin: 'https://evil.example' }, { code: put('code from elsewhere') })
  await ask('POST', '/signin', {}, { code: put('wrong code') })
  await ask('POST', '/signin', { authorization: '' }, { code: [put('code of a wrong type')] })
  await ask('POST', '/api/polylogue/keys', {}, { name: 5, user: put('user of a new key') })
  await ask('POST', '/api/polylogue/keys', { 'content-type': 'text/plain' }, put('body of a wrong type'))
}

/** Turns that succeed, fail, break and are denied; what they answered. */
async function provokeTurns(client: AapClient, put: Put): Promise<readonly string[]> {
  const answers: string[] = []
  const leaky = await openSession(client, {
    agent: 'leaky',
    options: { apiKey: put('secret option') },
    tools: [{ name: 'leak' }],
  })
  const call = (id: string, name: string, secret: string) => `call ${id} ${name} ${JSON.stringify({ secret })}`
  const tell = async (answer: Promise<unknown>) => void answers.push(JSON.stringify(await answer))
  await tell(leaky.turn(call('denied', 'leak', put('tool argument, denied'))))
  await tell(leaky.turn([{ role: 'tool_permission', toolCallId: 'denied', granted: false, reason: 'no' }]))
  await tell(leaky.turn(call('thrown', 'leak', put('tool error text'))))
  await tell(leaky.turn([{ role: 'tool_permission', toolCallId: 'thrown', granted: true }]))
  await tell(leaky.turn(call('unknown', 'nobody', put('tool argument, unknown tool'))))
  await tell(leaky.turn(`call bad leak ${JSON.stringify({ wrong: put('tool argument, invalid') })}`))
  for (const script of ['fail', 'nostop', 'overflow', 'show options']) await tell(leaky.turn(script))
  await tell(leaky.turn('say x', { agent: { options: { apiKey: put('secret option of a turn') } } }))
  const broken = await openSession(client, {
    agent: 'broken',
    options: { apiKey: put('secret option in a model error') },
  })
  await tell(broken.turn('go'))
  const stream = await broken.stream('delta', 'go')
  answers.push(JSON.stringify(await stream.finished()))
  return answers
}
