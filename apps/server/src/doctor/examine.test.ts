import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chmodSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSession, startTurn } from '../test-support/aap.ts'
import { askOwner } from '../test-support/ask-owner.ts'
import { exchange } from '../test-support/exchange.ts'
import { startServer, type TestServer } from '../test-support/start-server.ts'
import { makeTempDir } from '../test-support/temp-dir.ts'
import { text } from 'node:stream/consumers'
import { examine } from './examine.ts'
import type { Finding } from './finding.ts'

const look = (dataDir: string) => examine({ dataDir, startDir: dataDir, env: {} })
const about = (findings: readonly Finding[], check: string) => findings.filter((finding) => finding.check === check)
const failures = (findings: readonly Finding[]) => findings.filter(({ status }) => status === 'fail')

async function talk({ url, localKey }: TestServer): Promise<string> {
  const sessionId = await createSession(url, localKey)
  await text(await startTurn(url, localKey, { sessionId, script: 'say one\ncall c1 echo {"msg":"x"}\n---\nsay two' }))
  return sessionId
}

/** A data directory with one session of some events, and nobody at work. */
async function makeUsedDir(): Promise<{ readonly dataDir: string; readonly file: string; readonly sessionId: string }> {
  const server = await startServer()
  const sessionId = await talk(server)
  await server.stop()
  return { dataDir: server.dataDir, file: join(server.dataDir, 'polylogue.db'), sessionId }
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

describe('an examination', () => {
  it('finds nothing wrong in a healthy installation, beside the server and alone', async () => {
    const server = await startServer()
    await talk(server)
    const beside = await look(server.dataDir)
    expect(failures(beside)).toEqual([])
    expect(about(beside, 'server')[0]?.message).toContain(`Pid ${process.pid} is ready at ${server.url}`)
    expect(about(beside, 'port')).toEqual([{ check: 'port', status: 'ok', message: `${server.url} answers.` }])
    expect(about(beside, 'sessions')[0]?.message).toMatch(/^1 sessions with \d+ events, all readable\.$/)
    await server.stop()
    const alone = await look(server.dataDir)
    expect(failures(alone)).toEqual([])
    expect(about(alone, 'server')).toEqual([
      { check: 'server', status: 'ok', message: 'None runs on this data directory.' },
    ])
    expect(about(alone, 'confinement')).toMatchObject([{ message: expect.stringMatching(/bubblewrap|sandbox: none/) }])
    for (const { remedy } of alone.filter(({ status }) => status !== 'ok')) expect(remedy).toBeTruthy()
  })

  it('changes nothing that it looks at', async () => {
    const { dataDir } = await makeUsedDir()
    const contents = () =>
      Object.fromEntries(
        readdirSync(dataDir)
          .filter((name) => !/-(?:wal|shm)$/.test(name))
          .map((name) => [name, [readFileSync(join(dataDir, name), 'hex'), statSync(join(dataDir, name)).mode]]),
      )
    const before = contents()
    await look(dataDir)
    expect(contents()).toEqual(before)
  })

  it('of a place where nothing is says how to begin', async () => {
    const dataDir = join(makeTempDir(), 'not-there')
    const findings = await look(dataDir)
    expect(failures(findings)).toEqual([])
    expect(about(findings, 'data directory')).toMatchObject([
      { status: 'warn', remedy: expect.stringMatching(/polylogue serve/) },
    ])
  })

  it('finds files that others can read', async () => {
    const { dataDir } = await makeUsedDir()
    chmodSync(join(dataDir, 'local.key'), 0o644)
    chmodSync(join(dataDir, 'polylogue.db'), 0o640)
    expect(about(await look(dataDir), 'data directory')).toMatchObject([
      {
        status: 'fail',
        message: expect.stringMatching(/local\.key is open to other users/),
        remedy: expect.stringMatching(/^Type: chmod 600 /),
      },
      { status: 'warn', message: expect.stringMatching(/polylogue\.db is open to other users/) },
    ])
  })

  it.each([
    ['a missing event', 'DELETE FROM events WHERE seq = 2', /event 2 is missing/],
    ['a missing end', 'DELETE FROM events WHERE seq = last', /it should have \d+ events and has \d+/],
    ['an unreadable event', `UPDATE events SET data = '{' WHERE seq = 2`, /JSON/],
    ['an unknown event', `UPDATE events SET version = 99 WHERE seq = 2`, /written by a newer Polylogue/],
    ['an event of another type', `UPDATE events SET type = 'turn.paused' WHERE seq = 3`, /event row says turn\.paused/],
    [
      'a snapshot of another state',
      `UPDATE snapshots SET state = replace(state, 'scripted', 'assistant')`,
      /its snapshot at \d+ differs/,
    ],
    ['lost sessions', 'DELETE FROM sessions', /has events and no row/],
  ])('finds %s', async (_name, sql, problem) => {
    const { dataDir, file } = await makeUsedDir()
    change(file, sql.replace('= last', '= (SELECT max(seq) FROM events)'))
    expect(about(await look(dataDir), 'sessions')).toMatchObject([
      { status: 'fail', message: expect.stringMatching(problem), remedy: expect.stringMatching(/backup/) },
    ])
  })

  it('finds a damaged file, and continues with the other checks', async () => {
    const { dataDir, file } = await makeUsedDir()
    const bytes = readFileSync(file)
    bytes.fill(0xff, 4096 * 2, 4096 * 6)
    writeFileSync(file, bytes)
    const findings = await look(dataDir)
    expect(about(findings, 'database')).toMatchObject([{ status: 'fail' }])
    expect(about(findings, 'disk').length).toBeGreaterThan(0)
  })

  it.each([
    ['holds something else', (file: string) => writeFileSync(file, 'this is a text and no database at all')],
    ['lost its first page', (file: string) => writeFileSync(file, readFileSync(file).fill(0xff, 0, 4096))],
  ])('says what a start says about a file that %s, and what to do', async (_name, damage) => {
    const { dataDir, file } = await makeUsedDir()
    damage(file)
    const findings = await look(dataDir)
    const message = `${file} is not a Polylogue database, or its first page is damaged.`
    expect(failures(findings)).toEqual([
      { check: 'database', status: 'fail', message, remedy: expect.stringMatching(/restore a backup/) },
    ])
  })

  it('finds secrets whose key is gone', async () => {
    const server = await startServer()
    await exchange(`${server.url}/aap/v3/sessions`, {
      headers: { authorization: `Bearer ${server.localKey}` },
      body: { agent: { name: 'scripted', options: { apiKey: 'correct-horse' } } },
    })
    await server.stop()
    expect(about(await look(server.dataDir), 'secrets')).toMatchObject([
      { status: 'ok', message: expect.stringMatching(/^1 stored/) },
    ])
    const keyFile = join(server.dataDir, 'secret.key')
    writeFileSync(keyFile, `${'A'.repeat(43)}\n`)
    expect(about(await look(server.dataDir), 'secrets')).toMatchObject([
      { status: 'fail', message: expect.stringMatching(/^1 of 1 stored/) },
    ])
    writeFileSync(keyFile, 'nonsense')
    expect(about(await look(server.dataDir), 'secrets')).toMatchObject([
      { status: 'fail', message: expect.stringMatching(/is damaged/) },
    ])
    rmSync(keyFile)
    expect(about(await look(server.dataDir), 'secrets')).toMatchObject([
      { status: 'fail', message: expect.stringMatching(/is missing/) },
    ])
  })

  it('finds a local key that was revoked, and a configuration that is wrong', async () => {
    const { dataDir } = await makeUsedDir()
    writeFileSync(join(dataDir, 'local.key'), 'sk-blade-v2-other\n')
    writeFileSync(join(dataDir, 'polylogue.config.json'), '{"agents": 5}')
    const findings = await look(dataDir)
    expect(about(findings, 'keys')).toMatchObject([{ status: 'warn', message: expect.stringMatching(/was revoked/) }])
    expect(about(findings, 'configuration')).toMatchObject([
      { status: 'fail', message: expect.stringMatching(/polylogue\.config\.json: agents/) },
    ])
  })
})

it('names an agent whose provider has no key', async () => {
  const dataDir = makeTempDir()
  const agents = [{ name: 'helper', instructions: 'Help.', model: 'openai/gpt-x' }]
  writeFileSync(join(dataDir, 'polylogue.config.json'), JSON.stringify({ agents }))
  const notes = async (env: Record<string, string>) =>
    about(await examine({ dataDir, startDir: dataDir, env }), 'configuration').slice(1)
  expect(await notes({})).toEqual([
    {
      check: 'configuration',
      status: 'warn',
      message: 'helper has no API key for openai/gpt-x: set OPENAI_API_KEY.',
      remedy: expect.stringMatching(/^Set the key/),
    },
  ])
  expect(await notes({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:1' })).toEqual([])
})

describe('providers that have a key', () => {
  const lookWith = async (env: NodeJS.ProcessEnv) => {
    const dataDir = makeTempDir()
    return about(await examine({ dataDir, startDir: dataDir, env }), 'providers')
  }

  it('are asked whether they are there, without the key', async () => {
    const asked: string[] = []
    const server = createServer((incoming, outgoing) => {
      asked.push(JSON.stringify([incoming.url, incoming.rawHeaders]))
      outgoing.writeHead(404).end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const key = 'sk-correct-horse-battery'
    const findings = await lookWith({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `http://127.0.0.1:${port}` })
    expect(findings).toEqual([
      {
        check: 'providers',
        status: 'ok',
        message: `OpenAI answers at 127.0.0.1:${port}; its key comes from OPENAI_API_KEY.`,
      },
    ])
    expect(asked.join()).toContain('/v1')
    expect(asked.join()).not.toContain(key)
  })

  it('and do not answer are a failure', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const findings = await lookWith({ ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` })
    expect(findings).toMatchObject([
      { status: 'fail', message: `Anthropic does not answer at 127.0.0.1:${port} (ECONNREFUSED).` },
    ])
  })

  it('are not examined without a key', async () => {
    expect(await lookWith({})).toMatchObject([
      { status: 'ok', message: 'No provider has a key, so the built-in demo answers. What to set: polylogue models' },
    ])
  })
})

it("only the owner can read the server's own data", async () => {
  const server = await startServer()
  expect((await askOwner(server.dataDir, 'GET', '/api/polylogue/doctor')).status).toBe(200)
  const headers = { authorization: `Bearer ${server.localKey}` }
  expect((await exchange(`${server.url}/api/polylogue/doctor`, { headers })).status).toBe(404)
})
