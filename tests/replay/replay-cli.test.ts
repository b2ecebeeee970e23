// `record` and `replay` beside a running server, and the test that they make of a session.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { EVENT_VERSIONS } from '@polylogue/engine'
import { replayRecording } from '@polylogue/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession, type AapSession } from '../support/aap-session.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { NEXT, call, script } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const SECRET = 'sk-canary-12345678'
const run = (...args: readonly string[]) => runPolylogue([...args, '--data', server.dataDir], { cwd: server.dataDir })
const open = () =>
  openSession(server.client(V3), {
    tools: [
      { name: 'echo', trust: true },
      { name: 'Glob', trust: true },
      { name: 'boom' },
      { name: 'Agent', trust: true },
    ],
    options: { apiKey: SECRET },
  })

async function converse(session: AapSession): Promise<void> {
  await session.turn(
    script(
      'think hm',
      'say look',
      call('e1', 'echo', { msg: 'hi' }),
      call('g1', 'Glob', { pattern: '*.none' }),
      NEXT,
      'say done',
    ),
  )
  await session.turn(script(call('b1', 'boom'), NEXT, 'say well'))
  await session.turn([{ role: 'tool_permission', toolCallId: 'b1', granted: true }])
  await session.turn(
    call('a1', 'Agent', { description: 'Look', prompt: script(call('i1', 'echo', { msg: 'in' }), NEXT, 'say found') }),
  )
  await session.turn(script('say half', 'fail'))
}

const recorded = async (session: AapSession): Promise<string> => {
  const headers = { authorization: `Bearer ${server.key}` }
  const at = `${server.url}/api/polylogue/sessions/${session.id}`
  const { body } = await exchangeJson<{ events: readonly { event: { exchange?: string } }[] }>({
    method: 'GET',
    url: `${at}/events?limit=1000`,
    headers,
  })
  const hashes = body.events.flatMap(({ event: { exchange } }) => exchange ?? [])
  const texts = await Promise.all(
    hashes.map(
      async (hash) =>
        (await exchangeJson<{ text: string }>({ method: 'GET', url: `${at}/recording/${hash}`, headers })).body.text,
    ),
  )
  return texts.join('\n')
}

it('keeps nothing by default, every request with its secrets masked once on, and nothing after --off', async () => {
  const session = await open()
  await session.turn('say unrecorded')
  expect(await recorded(session)).toBe('')
  expect(await run('record', session.id)).toMatchObject({ code: 0, stderr: expect.stringContaining('now kept') })
  await session.turn('show options')
  const kept = await recorded(session)
  expect(kept).toContain('"apiKey":"***"')
  expect(kept).not.toContain(SECRET)
  expect(await run('record', session.id, '--off')).toMatchObject({ code: 0 })
  await session.turn('say unrecorded again')
  expect(await recorded(session)).toBe(kept)
  const other = await exchangeJson({
    method: 'GET',
    url: `${server.url}/api/polylogue/sessions/${session.id}/recording`,
    headers: { authorization: `Bearer ${await server.createKey('anna')}` },
  })
  expect(other.status).toBe(404)
})

it('replays a session of the server without differences, recorded or not', async () => {
  for (const isRecorded of [true, false]) {
    const session = await open()
    if (isRecorded) await run('record', session.id)
    await converse(session)
    const { code, stdout, stderr } = await run('replay', session.id, '--json')
    expect([code, JSON.parse(stdout || 'null'), stderr]).toMatchObject([0, { differences: [], skipped: 0 }, ''])
    expect((JSON.parse(stdout) as { requests: number }).requests > 0).toBe(isRecorded)
  }
})

/** As in the project of somebody who has installed both packages. */
async function runVitest(file: string): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const modules = join(dirname(file), 'node_modules')
  await mkdir(modules, { recursive: true })
  for (const [name, target] of [
    ['polylogue', ROOT],
    ['vitest', join(ROOT, 'node_modules/vitest')],
  ] as const) {
    await symlink(target, join(modules, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', dirname(file), basename(file)]
  const child = spawn(process.execPath, args, { cwd: dirname(file), stdio: ['ignore', 'pipe', 'ignore'] })
  const [stdout] = await Promise.all([readText(child.stdout), once(child, 'exit')])
  return { code: child.exitCode, stdout }
}

it('makes a test of a session, which fails where the engine would do something else', async () => {
  const session = await open()
  await run('record', session.id)
  await converse(session)
  const file = join(server.dataDir, 'case.test.ts')
  expect(await run('replay', session.id, '--test', file)).toMatchObject({ code: 0 })
  expect(await readFile(file, 'utf8')).toContain("new URL('case.recording.json', import.meta.url)")
  const recordingFile = join(server.dataDir, 'case.recording.json')
  const text = await readFile(recordingFile, 'utf8')
  expect(text).not.toContain(SECRET)
  expect(await replayRecording(JSON.parse(text))).toMatchObject({ differences: [], skipped: 0 })
  // The written test runs under vitest as it is, and fails when the recording holds something else.
  expect(await runVitest(file)).toMatchObject({ code: 0 })
  await writeFile(recordingFile, text.replaceAll('"maxSteps": ', '"maxSteps": 0.'))
  expect(await runVitest(file)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('comes out as it was recorded'),
  })
  // A recording names the versions of its events. Here is one from the time when settings were fields of `session.created`.
  const recording = JSON.parse(text) as {
    events: readonly { event: { type: string; settings?: object } }[]
    versions: object
  }
  expect(recording.versions).toEqual(EVENT_VERSIONS)
  const events = recording.events.map(({ event, ...at }) => {
    const { settings, type, ...rest } = event
    return { ...at, event: /^session\.(created|configured)$/.test(type) ? { type, ...rest, ...settings } : event }
  })
  const versions = { ...EVENT_VERSIONS, 'session.created': 1, 'session.configured': 1 }
  expect(await replayRecording({ ...recording, events, versions })).toMatchObject({ differences: [], skipped: 0 })
  await expect(replayRecording({ ...recording, versions: { ...EVENT_VERSIONS, 'turn.started': 9 } })).rejects.toThrow(
    'newer Polylogue',
  )
  const changed = await replayRecording(JSON.parse(text.replaceAll('"maxSteps": ', '"maxSteps": 0.')))
  expect(changed.differences.map(({ type }) => type)).toContain('event')
})
