import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ServeError } from './serve-error.ts'
import type { ServeOptions } from './serve-options.ts'
import { serve } from './serve.ts'
import { askOwner } from './test-support/ask-owner.ts'
import { createSession, startTurn } from './test-support/aap.ts'
import { beginExchange, exchange } from './test-support/exchange.ts'
import { startServer } from './test-support/start-server.ts'
import { makeTempDir } from './test-support/temp-dir.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function failureOf(options: Partial<ServeOptions>): Promise<ServeError> {
  try {
    await startServer(options)
  } catch (error) {
    if (error instanceof ServeError) return error
    throw error
  }
  throw new Error('it started')
}

interface ListedKey {
  readonly id: string
  readonly name: string
}

async function listKeys(dataDir: string): Promise<readonly ListedKey[]> {
  const { text } = await askOwner(dataDir, 'GET', '/api/polylogue/keys')
  return (JSON.parse(text) as { keys: readonly ListedKey[] }).keys
}

/** As a verb of the command line does, where no server runs. */
async function runErrand<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const server = await serve({ dataDir, startDir: dataDir, log: 'silent' })
  onTestFinished(() => server.stop(0))
  const result = await work()
  await server.stop(0)
  return result
}

async function revokeAllKeys(dataDir: string, options: Partial<ServeOptions> = {}): Promise<void> {
  const server = await startServer({ ...options, dataDir })
  for (const { id } of await listKeys(dataDir)) await askOwner(dataDir, 'DELETE', `/api/polylogue/keys/${id}`)
  await server.stop(0)
}

describe('the first start', () => {
  it('makes a key that works, and files that are closed to other users', async () => {
    const server = await startServer()
    expect(server.firstStart).toBe(true)
    expect(server.localKey).toMatch(/^sk-blade-v2-[A-Za-z0-9_-]{43}$/)
    expect(server.signInUrl).toMatch(new RegExp(`^${server.url}/signin#code=[A-Za-z0-9_-]{32}$`))
    expect(server.agents).toEqual(expect.arrayContaining([server.defaultAgent, 'scripted', 'scripted-min']))
    expect(readFileSync(join(server.dataDir, 'local.key'), 'utf8')).toBe(`${server.localKey}\n`)
    const me = await exchange(`${server.url}/api/polylogue/me`, { headers: bearer(server.localKey) })
    expect(me.body).toMatchObject({ user: 'local', via: 'key' })
    expect(modeOf(server.dataDir)).toBe('700')
    const files = readdirSync(server.dataDir)
    expect(files).toEqual(
      expect.arrayContaining(['local.key', 'owner.lock', 'polylogue.db', 'polylogue.sock', 'secret.key']),
    )
    for (const file of files) expect([file, modeOf(join(server.dataDir, file))]).toEqual([file, '600'])
  })

  it('is the first one only once: the next one keeps the key', async () => {
    const first = await startServer()
    await first.stop(0)
    const second = await startServer({ dataDir: first.dataDir })
    expect([second.firstStart, second.localKey]).toEqual([false, first.localKey])
  })
})

describe('a start is refused', () => {
  it('when local.key is open to others, with the line to type', async () => {
    const server = await startServer()
    await server.stop(0)
    chmodSync(join(server.dataDir, 'local.key'), 0o644)
    const failure = await failureOf({ dataDir: server.dataDir })
    expect(failure.message).toBe(
      `${server.dataDir}/local.key is open to other users. Type: chmod 600 ${server.dataDir}/local.key`,
    )
    expect(failure.exitCode).toBe(78)
  })

  it('when another process owns the data directory, naming it', async () => {
    const { dataDir, url } = await startServer()
    const failure = await failureOf({ dataDir })
    expect(failure.message).toContain(`(pid ${process.pid} at ${url})`)
    expect(failure.message).toContain('--data')
    expect(failure.exitCode).toBe(1)
  })

  it('when the port is taken, and nothing stays behind', async () => {
    const { url } = await startServer()
    const listen = { host: '127.0.0.1', port: Number(new URL(url).port) }
    const dataDir = makeTempDir()
    const failure = await failureOf({ dataDir, listen })
    expect(failure.message).toBe(
      `Port ${listen.port} on 127.0.0.1 is in use. Stop what runs there, or choose another with --port.`,
    )
    await startServer({ dataDir })
  })

  it('when the configuration is wrong, in one line', async () => {
    const startDir = makeTempDir()
    writeFileSync(join(startDir, 'polylogue.config.json'), '{"agents": 5}')
    const failure = await failureOf({ startDir })
    expect(failure.message).toMatch(/^polylogue\.config\.json: [^\n]+$/)
    expect(failure.exitCode).toBe(78)
  })

  it.each([
    [{ database: 'postgres://me:geheim@127.0.0.1:1/x' }, /^The database 127\.0\.0\.1:1\/x cannot be reached: /],
    [{ publicUrl: 'example.com' }, /^--public-url wants/],
    [{ allowOrigins: ['*'] }, /^--allow-origin wants/],
    [{ keys: ['with space'] }, /^--key wants/],
    [{ listen: { host: '192.0.2.1', port: 0 } }, /not an address of this machine/],
  ] as const)('with %j', async (options, sentence) => {
    expect((await failureOf(options)).message).toMatch(sentence)
  })
})

describe('a start that is aborted', () => {
  it('ends while a question is open, and frees the data directory', async () => {
    const dataDir = makeTempDir()
    const abort = new AbortController()
    const asked = Promise.withResolvers<void>()
    const approveFolder = () => {
      asked.resolve()
      return new Promise<void>(() => {})
    }
    const starting = startServer({ dataDir, approveFolder, signal: abort.signal })
    await asked.promise
    abort.abort(new Error('stopped'))
    await expect(starting).rejects.toThrow('stopped')
    await startServer({ dataDir })
  })

  it('ends while it waits for another process to hand over', async () => {
    const owner = await startServer({ handsOver: true })
    const sessionId = await createSession(owner.url, owner.localKey)
    const turn = await startTurn(owner.url, owner.localKey, { sessionId, script: 'say begun\nsleep 30000' })
    const abort = new AbortController()
    const starting = startServer({ dataDir: owner.dataDir, signal: abort.signal })
    starting.catch(() => undefined)
    await vi.waitUntil(async () => (await exchange(`${owner.url}/readyz`)).status === 503)
    abort.abort(new Error('stopped'))
    await expect(starting).rejects.toThrow('stopped')
    turn.destroy()
  })
})

describe('an address that other machines reach', () => {
  const listen = { host: '0.0.0.0', port: 0 }

  it('is bound at the first start, which makes a key', async () => {
    const { url } = await startServer({ listen })
    expect((await exchange(`${url}/healthz`)).status).toBe(200)
  })

  it('is refused with exit code 78 when every key was revoked', async () => {
    const dataDir = makeTempDir()
    await revokeAllKeys(dataDir)
    const failure = await failureOf({ dataDir, listen })
    expect([failure.exitCode, failure.message]).toEqual([78, expect.stringContaining('polylogue keys create')])
  })

  it('is refused with a --key that could be guessed, before anything is made', async () => {
    const dataDir = join(makeTempDir(), 'data')
    expect(await failureOf({ dataDir, listen, keys: ['secret'] })).toMatchObject({ exitCode: 78 })
    expect(existsSync(dataDir)).toBe(false)
  })

  it('is bound where a start ended before it had made the first key', async () => {
    const { dataDir, stop } = await startServer()
    await stop(0)
    const db = new DatabaseSync(join(dataDir, 'polylogue.db'))
    db.exec('DELETE FROM keys')
    db.close()
    rmSync(join(dataDir, 'local.key'))
    const { url, localKey } = await startServer({ dataDir, listen })
    const me = await exchange(`${url}/api/polylogue/me`, { headers: bearer(localKey) })
    expect(me.status).toBe(200)
  })

  it('is refused with the line that makes a key for this very data directory and database', async () => {
    const dataDir = join(makeTempDir(), 'my data')
    const database = `sqlite:${join(dataDir, 'other.db')}`
    await revokeAllKeys(dataDir, { database })
    const failure = await failureOf({ dataDir, database, listen })
    expect(failure.message).toMatch(
      / polylogue keys create --name NAME --data '.*\/my data' --database 'sqlite:.*\/other\.db'$/,
    )
  })
})

it('a key given with --key speaks for local and leaves no trace', async () => {
  const server = await startServer({ keys: ['given-on-the-command-line'] })
  const headers = bearer('given-on-the-command-line')
  expect(await exchange(`${server.url}/api/polylogue/me`, { headers })).toMatchObject({ body: { user: 'local' } })
  await server.stop(0)
  const again = await startServer({ dataDir: server.dataDir })
  expect(await exchange(`${again.url}/api/polylogue/me`, { headers })).toMatchObject({ status: 401 })
})

it('a revoked local key is replaced at the next start', async () => {
  const dataDir = makeTempDir()
  const { localKey: old, stop } = await startServer({ dataDir })
  await stop(0)
  await revokeAllKeys(dataDir)
  const server = await startServer({ dataDir })
  expect(server.localKey).not.toBe(old)
  const answers = [bearer(old), bearer(server.localKey)].map((headers) =>
    exchange(`${server.url}/api/polylogue/me`, { headers }),
  )
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 200])
})

describe('C1: an errand without a server', () => {
  const list = (dataDir: string) => runErrand(dataDir, () => listKeys(dataDir))

  it('makes the first key of a new data directory', async () => {
    const dataDir = makeTempDir()
    expect(await list(dataDir)).toHaveLength(1)
    expect(existsSync(join(dataDir, 'local.key'))).toBe(true)
  })

  it.each(['left in its file', 'removed'])(
    'makes none where the local one was revoked, with local.key %s',
    async (file) => {
      const dataDir = makeTempDir()
      const made = await runErrand(dataDir, () => askOwner(dataDir, 'POST', '/api/polylogue/keys', { name: 'phone' }))
      expect(made.status).toBe(201)
      for (const { id, name } of await list(dataDir)) {
        if (name === 'local') await runErrand(dataDir, () => askOwner(dataDir, 'DELETE', `/api/polylogue/keys/${id}`))
      }
      if (file === 'removed') rmSync(join(dataDir, 'local.key'))
      const [left, ...others] = await list(dataDir)
      expect([left?.name, others]).toEqual(['phone', []])
    },
  )

  it('does not open an address that other machines reach, whatever was run before', async () => {
    const dataDir = makeTempDir()
    for (const { id } of await list(dataDir)) {
      await runErrand(dataDir, () => askOwner(dataDir, 'DELETE', `/api/polylogue/keys/${id}`))
    }
    expect(await list(dataDir)).toEqual([])
    expect(await failureOf({ dataDir, listen: { host: '0.0.0.0', port: 0 } })).toMatchObject({ exitCode: 78 })
  })
})

it('two servers never share one database, wherever their data directories are', async () => {
  const database = `sqlite:${join(makeTempDir(), 'shared.db')}`
  await startServer({ database })
  const failure = await failureOf({ database })
  expect(failure.message).toMatch(/shared\.db is in use by another process/)
})

describe('stopping', () => {
  it('lets a running turn finish, and takes no new work meanwhile', async () => {
    const server = await startServer()
    const sessionId = await createSession(server.url, server.localKey)
    const turn = await startTurn(server.url, server.localKey, { sessionId, script: 'say begun\nsleep 300\nsay done' })
    const stopped = server.stop()
    expect((await exchange(`${server.url}/healthz`)).status).toBe(200)
    expect((await exchange(`${server.url}/readyz`)).status).toBe(503)
    expect((await exchange(`${server.url}/aap/v3/sessions`, { headers: bearer(server.localKey) })).status).toBe(503)
    const stream = await text(turn)
    expect(stream).toContain('"delta":"done"')
    expect(stream).toMatch(/"stopReason":"end_turn"/)
    await stopped
  })

  it('does not wait for streams that have nothing to say', async () => {
    const server = await startServer()
    const sessionId = await createSession(server.url, server.localKey)
    const idle = await beginExchange(`${server.url}/aap/v3/sessions/${sessionId}/events?follow=1`, {
      headers: bearer(server.localKey),
    })
    const ended = text(idle)
    const startedAt = performance.now()
    await server.stop(30_000)
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    await ended
  })

  it('at once leaves the turn to the next start, which continues with it', async () => {
    const server = await startServer()
    const sessionId = await createSession(server.url, server.localKey)
    const script = 'call c1 slow {"ms": 400}\n---\nsay after the restart'
    const turn = await startTurn(server.url, server.localKey, { sessionId, script })
    const cut = text(turn).catch((error: NodeJS.ErrnoException) => String(error.code))
    const startedAt = performance.now()
    await server.stop(0)
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    expect(await cut).not.toContain('stopReason')
    const next = await startServer({ dataDir: server.dataDir })
    const follow = await beginExchange(`${next.url}/aap/v3/sessions/${sessionId}/events?after=0`, {
      headers: bearer(next.localKey),
    })
    expect(await text(follow)).toMatch(/after [^]*stopReason/)
  })

  it('closes the listeners, removes the socket and frees the directory', async () => {
    const server = await startServer()
    await server.stop()
    await server.stopped
    await server.stop()
    await expect(exchange(`${server.url}/healthz`)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(existsSync(join(server.dataDir, 'polylogue.sock'))).toBe(false)
    await startServer({ dataDir: server.dataDir })
  })
})

it('a server without a listener has no address and no link', async () => {
  const dataDir = join(makeTempDir(), 'data')
  mkdirSync(dataDir)
  const server = await serve({ dataDir, startDir: dataDir, log: 'silent' })
  expect([server.url, server.signInUrl]).toEqual([undefined, undefined])
  await server.stop(0)
})
