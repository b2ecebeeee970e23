// What an operator sees: metrics, logs, the doctor, and a backup that can be restored.
import { once } from 'node:events'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync, backup } from 'node:sqlite'
import { io as connectSocket } from 'socket.io-client'
import { WebSocket } from 'ws'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { exchangeText } from '../support/http-exchange.ts'
import { askOwner } from '../support/owner-socket.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { bearer, startEdgeServer } from './edge-server.ts'
import { readMetric } from './read-metric.ts'

async function startServer() {
  const server = await startEdgeServer()
  onTestFinished(() => server.stop())
  return server
}

async function makeDir(): Promise<string> {
  const dir = await createTempDir()
  onTestFinished(() => dir.remove())
  return dir.path
}

describe('/metrics', () => {
  it('is well-formed, and for the operator alone', async () => {
    const server = await startServer()
    const session = await openSession(server.client())
    await session.turn('say one')
    const ask = (headers: Readonly<Record<string, string>>) =>
      exchangeText({ method: 'GET', url: `${server.url}/metrics`, headers })
    expect((await ask({})).status).toBe(401)
    expect((await ask(bearer(await server.createKey('anna')))).status).toBe(403)
    const { status, headers, text } = await ask(bearer(server.key))
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(text.endsWith('\n')).toBe(true)
    const line =
      /^(?:# HELP [a-z0-9_]+ .+|# TYPE [a-z0-9_]+ (?:counter|gauge|histogram)|[a-z0-9_]+(?:\{[a-z_]+="[^"\n]*"(?:,[a-z_]+="[^"\n]*")*\})? [-+0-9.eE]+)$/
    expect(
      text
        .trimEnd()
        .split('\n')
        .filter((row) => !line.test(row)),
    ).toEqual([])
    const names = text.match(/^# TYPE (\S+)/gm)?.map((row) => row.slice('# TYPE '.length))
    expect(new Set(names).size).toBe(names?.length)
    expect(names).toEqual(
      expect.arrayContaining([
        'polylogue_http_requests_total',
        'polylogue_open_streams',
        'polylogue_readers_dropped_total',
        'polylogue_turns_total',
        'polylogue_running_turns',
        'polylogue_model_step_seconds',
        'polylogue_append_seconds',
        'polylogue_commit_writes',
        'nodejs_eventloop_lag_p99_seconds',
        'process_resident_memory_bytes',
        'nodejs_heap_size_used_bytes',
        'polylogue_wal_bytes',
        'polylogue_storage_faults_total',
      ]),
    )
  })

  it('counts what happens, by patterns and never by names', async () => {
    const server = await startServer()
    const session = await openSession(server.client())
    await session.turn('say one')
    await session.turn('fail')
    await server.client().get('nonsense')
    const count = (name: string, labels?: string) => readMetric(server, name, labels)
    expect(await count('polylogue_turns_total', 'outcome="finished"')).toBe(1)
    expect(await count('polylogue_turns_total', 'outcome="failed"')).toBe(1)
    expect(await count('polylogue_model_step_seconds_count')).toBe(2)
    expect(await count('polylogue_append_seconds_count')).toBeGreaterThan(4)
    expect(await count('polylogue_commit_writes_count')).toBeGreaterThan(4)
    expect(await count('polylogue_running_turns')).toBe(0)
    expect(await count('polylogue_wal_bytes')).toBeGreaterThan(0)
    expect(await count('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    const turns = 'method="POST",route="/aap/v3/sessions/:id/turns",status="200"'
    expect(await count('polylogue_http_requests_total', turns)).toBe(2)
    const text = await exchangeText({ method: 'GET', url: `${server.url}/metrics`, headers: bearer(server.key) })
    expect(text.text).not.toContain(session.id)
    expect(text.text).not.toMatch(/nonsense|local"/)
  })
})

interface LogLine {
  readonly level: number
  readonly msg: string
  readonly [field: string]: unknown
}

describe('the log', () => {
  it('has one line for each request and each turn, and no message text', async () => {
    const dataDir = await makeDir()
    const server = await startServerProcess({ dataDir })
    const session = await openSession(server.client(V3))
    await session.turn('say correct-horse-battery')
    await exchangeText({ method: 'GET', url: `${server.url}/aap/v3/sessions?secret=staple`, headers: bearer('wrong') })
    await exchangeText({ method: 'GET', url: `${server.url}/healthz` })
    await server.stop()
    const lines = server.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as LogLine)
    const requests = lines.filter(({ msg }) => msg === 'request')
    expect(requests.map(({ method, route, status }) => `${String(method)} ${String(route)} ${String(status)}`)).toEqual(
      ['POST /aap/v3/sessions 201', 'POST /aap/v3/sessions/:id/turns 200', 'GET /aap/v3/sessions 401'],
    )
    expect(requests[1]).toMatchObject({
      level: 30,
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      ms: expect.any(Number),
      key: expect.stringMatching(/^key_/),
      user: 'local',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })
    expect(requests[2]).toMatchObject({ from: '127.0.0.1' })
    expect(lines.filter(({ msg }) => msg === 'a turn ended')).toMatchObject([
      { sessionId: session.id, outcome: 'finished', turnId: expect.stringMatching(/^turn_/) },
    ])
    expect(server.output).not.toMatch(/correct-horse|staple|wrong/)
  })

  it('logs refused WebSocket upgrades of every protocol, and counts them', async () => {
    const server = await startServerProcess({ dataDir: await makeDir() })
    const { host } = new URL(server.url)
    const acp = new WebSocket(`ws://${host}/acp`, { headers: bearer('wrong') })
    const nowhere = new WebSocket(`ws://${host}/secret`)
    await Promise.all([acp, nowhere].map((socket) => once(socket, 'unexpected-response')))
    const blade = connectSocket(server.url, {
      auth: { token: 'wrong' },
      transports: ['websocket'],
      reconnection: false,
    })
    await new Promise<void>((resolve) => blade.once('connect_error', () => resolve()))
    blade.disconnect()
    const metrics = await exchangeText({ method: 'GET', url: `${server.url}/metrics`, headers: bearer(server.key) })
    expect(metrics.text).toContain('polylogue_http_requests_total{method="GET",route="/acp",status="401"} 1\n')
    await server.stop()
    const lines = server.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as LogLine)
    const told = lines.filter(
      ({ msg, route }) => msg === 'a connection was refused' || (msg === 'request' && route !== '/metrics'),
    )
    expect(told).toHaveLength(3)
    expect(told).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ msg: 'request', route: '/acp', status: 401, from: '127.0.0.1' }),
        expect.objectContaining({ msg: 'request', route: 'unmatched', status: 404 }),
        expect.objectContaining({ route: '/socket.io/', status: 401, from: '127.0.0.1' }),
      ]),
    )
    expect(server.output).not.toMatch(/secret|wrong/)
  })

  it('reports a turn that was taken over from a killed process', async () => {
    const dataDir = await makeDir()
    const first = await startServerProcess({ dataDir })
    const session = await openSession(first.client(V3))
    const stream = await session.stream('delta', 'say begun\nsleep 60000')
    await stream.until(({ event }) => event === 'text_delta')
    await first.kill()
    const second = await startServerProcess({ dataDir })
    await eventually(async () => (second.output.includes('a turn was taken over') ? true : undefined), 'it is told')
    await second.client(V3).cancel(session.id)
    await second.stop()
  })
})

describe('polylogue doctor', () => {
  const doctor = (dataDir: string, ...flags: string[]) =>
    runPolylogue(['doctor', '--data', dataDir, ...flags], { cwd: dataDir, input: '' })

  it('reports the state with a running server and alone, in words and in JSON', async () => {
    const dataDir = await makeDir()
    const config = join(dataDir, 'polylogue.config.json')
    await writeFile(config, JSON.stringify({ bash: { sandbox: 'none' } }))
    const server = await startServerProcess({ dataDir })
    await (await openSession(server.client(V3))).turn('say x')
    const beside = await doctor(dataDir, '--config', config)
    expect(beside.code).toBe(0)
    expect(beside.stdout).toContain(`Pid ${server.pid} is ready at ${server.url}`)
    expect(beside.stdout).toMatch(/^ok {4}sessions +1 sessions with \d+ events, all readable\.$/m)
    expect(beside.stdout).toMatch(/^warn {2}confinement .*sandbox: none/m)
    expect(beside.stdout).toMatch(/^ +→ Install bubblewrap, or run the server as a user of its own/m)
    await server.stop()
    const alone = await doctor(dataDir, '--config', config, '--json')
    expect(alone.code).toBe(0)
    const findings = JSON.parse(alone.stdout) as readonly { check: string; status: string }[]
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        'versions',
        'server',
        'data directory',
        'configuration',
        'database',
        'sessions',
        'keys',
        'secrets',
        'disk',
        'port',
        'providers',
        'confinement',
      ]),
    )
    expect(findings.filter(({ status }) => status === 'fail')).toEqual([])
  })

  it('exits with 1 when something is broken, without changing it', async () => {
    const dataDir = await makeDir()
    const server = await startServerProcess({ dataDir })
    await (await openSession(server.client(V3))).turn('say x')
    await server.stop()
    const file = join(dataDir, 'polylogue.db')
    const db = new DatabaseSync(file)
    db.exec('DELETE FROM events WHERE seq = 2')
    db.close()
    const before = await readFile(file)
    const { code, stdout } = await doctor(dataDir)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail {2}sessions .*event 2 is missing/m)
    expect(stdout).toContain('restore a backup')
    expect(await readFile(file)).toEqual(before)
  })
})

describe('a backup as docs/operations.md describes it', () => {
  it('taken while the server works holds everything that was acknowledged before it, and can be served', async () => {
    const server = await startServer()
    const client = server.client()
    const session = await openSession(client, { options: { apiKey: 'correct-horse' } })
    await session.turn('say before')
    let isOver = false
    const load = (async () => {
      while (!isOver) await (await openSession(client)).turn('say meanwhile')
    })()
    const copy = await makeDir()
    await mkdir(join(copy, 'data'), { mode: 0o700 })
    const source = new DatabaseSync(join(server.dataDir, 'polylogue.db'), { readOnly: true })
    await backup(source, join(copy, 'data', 'polylogue.db'))
    source.close()
    for (const name of ['secret.key', 'local.key']) await cp(join(server.dataDir, name), join(copy, 'data', name))
    isOver = true
    await load
    const history = await session.history()
    await server.stop()

    const restored = await startEdgeServer({ dataDir: join(copy, 'data') })
    onTestFinished(() => restored.stop())
    expect(restored.key).toBe(server.key)
    const again = attachSession(restored.client(), session.id)
    expect(await again.history()).toEqual(history)
    expect((await again.turn('show options')).stopReason).toBe('end_turn')
    const { body } = await askOwner(join(copy, 'data'), { method: 'GET', path: '/api/polylogue/doctor' })
    expect(body).toMatchObject({ storageFaults: 0 })
  })
})
