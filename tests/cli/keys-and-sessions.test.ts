import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { type Finished, runPolylogue } from './run-polylogue.ts'

/** An agent with tools that ask. */
const UNSAFE = fileURLToPath(new URL('../support/counting.config.ts', import.meta.url))

let dir: TempDir
beforeEach(async () => {
  dir = await createTempDir()
})
afterEach(() => dir.remove())

const polylogue = (...args: readonly string[]): Promise<Finished> =>
  runPolylogue(args, { cwd: dir.path, environment: { POLYLOGUE_DATA: dir.path, TZ: 'UTC' } })

/** The cells of the table's lines, heading included. */
const tableOf = ({ stdout }: Finished): string[][] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))

describe('polylogue keys', () => {
  it('makes a key, lists it and revokes it, alone', async () => {
    const created = await polylogue('keys', 'create', '--user', 'anna', '--name', 'my phone')
    expect(created.code).toBe(0)
    expect(created.stdout).toMatch(/^sk-blade-v2-[\w-]+\n$/)
    const id = /^Key (key_\w+) of the user anna/.exec(created.stderr)?.[1] ?? ''

    const [heading, ...rows] = tableOf(await polylogue('keys', 'list'))
    expect(heading).toEqual(['ID', 'USER', 'KEY', 'CREATED', 'LAST USED', 'NAME'])
    const lastFour = created.stdout.trim().slice(-4)
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/)
    expect(rows).toContainEqual([id, 'anna', `sk-blade-v2-…${lastFour}`, time, 'never', 'my phone'])

    expect((await polylogue('keys', 'revoke', id)).code).toBe(0)
    expect((await polylogue('keys', 'list')).stdout).not.toContain(id)
    expect(await polylogue('keys', 'revoke', id)).toMatchObject({ code: 1, stderr: 'polylogue: No such key.\n' })
  })

  it('speaks JSON', async () => {
    const created = JSON.parse((await polylogue('keys', 'create', '--json')).stdout) as Record<string, unknown>
    expect(created).toMatchObject({ user: 'local', name: 'cli', key: expect.stringMatching(/^sk-blade-v2-/) })
    const keys = JSON.parse((await polylogue('keys', 'list', '--json')).stdout) as Record<string, unknown>[]
    expect(keys.map(({ id }) => id)).toContain(created['id'])
    expect(JSON.stringify(keys)).not.toContain(created['key'])
  })

  it('refuses a user name that cannot be one', async () => {
    const { code, stderr } = await polylogue('keys', 'create', '--user', '../x')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^polylogue: .*user/)
  })

  it('works with a running server, which accepts the new key and drops the revoked one immediately', async () => {
    const server = await startServerProcess({ dataDir: dir.path })
    try {
      const created = await polylogue('keys', 'create')
      const ask = () =>
        fetch(`${server.url}/aap/v3/sessions`, { headers: { authorization: `Bearer ${created.stdout.trim()}` } })
      expect((await ask()).status).toBe(200)
      await polylogue('keys', 'revoke', /key_\w+/.exec(created.stderr)?.[0] ?? '')
      expect((await ask()).status).toBe(401)
    } finally {
      await server.stop()
    }
  })
})

describe('polylogue link', () => {
  it('signs another user in to a running server, once', async () => {
    const server = await startServerProcess({ dataDir: dir.path })
    try {
      const { code, stdout, stderr } = await polylogue('link', '--user', 'anna')
      expect(code).toBe(0)
      expect(stderr).toMatch(/^Signs in anna, once, until /)
      const signIn = () =>
        fetch(new URL('/signin', server.url), {
          method: 'POST',
          headers: { origin: new URL(server.url).origin, 'content-type': 'application/json' },
          body: JSON.stringify({ code: new URL(stdout).hash.slice('#code='.length) }),
        })
      const answer = await signIn()
      expect(await answer.json()).toEqual({ user: 'anna' })
      expect((await signIn()).status).toBe(401)
    } finally {
      await server.stop()
    }
  })

  it('says how to get one where no server runs', async () => {
    expect(await polylogue('link')).toMatchObject({ code: 1, stderr: expect.stringContaining('`polylogue serve`') })
  })
})

describe('polylogue sessions', () => {
  it('prints a friendly message when there are none', async () => {
    expect(await polylogue('sessions', 'list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('no sessions yet'),
    })
  })

  it('lists the newest first and shows the messages', async () => {
    await polylogue('run', '--agent', 'scripted', 'say one')
    const waits = 'think Hm\ncall c1 explode {"reason":"\\u001b[2J"}'
    await polylogue('run', '--config', UNSAFE, '--agent', 'counting', waits)
    const [heading, newest, oldest] = tableOf(await polylogue('sessions', 'list'))
    expect(heading).toEqual(['SESSION', 'AGENT', 'STATUS', 'UPDATED', 'TITLE'])
    expect(newest?.slice(1, 3)).toEqual(['counting', 'waiting'])
    expect(oldest?.[2]).toBe('idle')
    expect(oldest?.[4]).toBe('say one')

    const limited = await polylogue('sessions', 'list', '--limit', '1')
    expect(tableOf(limited)).toHaveLength(2)
    expect(limited.stderr).toContain('There are more')

    const shown = await polylogue('sessions', 'show', oldest?.[0] ?? '')
    expect(shown.code).toBe(0)
    expect(shown.stdout).toContain('\nuser\nsay one\n\nassistant\none\n')
    const waiting = await polylogue('sessions', 'show', newest?.[0] ?? '')
    expect(waiting.stdout).toContain('waits for c1')
    expect(waiting.stdout).not.toContain('\u001b[2J')
  })

  it('speaks JSON', async () => {
    await polylogue('run', '--agent', 'scripted', 'say one')
    const [session] = JSON.parse((await polylogue('sessions', 'list', '--json')).stdout) as { sessionId: string }[]
    expect(session).toMatchObject({ agent: 'scripted', title: 'say one', status: 'idle' })
    const record = JSON.parse(
      (await polylogue('sessions', 'show', session?.sessionId ?? '', '--json')).stdout,
    ) as object
    expect(record).toMatchObject({
      session,
      messages: [
        { role: 'user', content: 'say one' },
        { role: 'assistant', content: [{ type: 'text', text: 'one' }] },
      ],
    })
  })

  it('forks one', async () => {
    await polylogue('run', '--agent', 'scripted', 'say one')
    const [, parent] = tableOf(await polylogue('sessions', 'list'))
    const id = parent?.[0] ?? ''
    const { code, stdout } = await polylogue('sessions', 'fork', id)
    expect(code).toBe(0)
    const shown = await polylogue('sessions', 'show', stdout.trim())
    expect(shown.stdout).toContain(`Parent   ${id}\n`)
    expect(shown.stdout).toContain('\nuser\nsay one\n\nassistant\none\n')
    expect((await polylogue('sessions', 'show', id)).stdout).toContain(`Forks    ${stdout.trim()}\n`)
    expect((await polylogue('sessions', 'fork', id, '--turn', 'turn_none')).code).toBe(1)
  })

  it('does not know a session that is not there', async () => {
    const missing = '0198c0de-7a11-7000-8000-000000000000'
    for (const id of [missing, 'nonsense']) {
      const { code, stdout, stderr } = await polylogue('sessions', 'show', id)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^polylogue: .*no such session/i)
    }
  })
})
