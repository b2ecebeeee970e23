import { access, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { exchangeJson } from '../support/http-exchange.ts'
import { call, script } from '../support/script.ts'
import { disguised } from './disguise.ts'
import { type ForbiddenWorld, createForbiddenWorld } from './forbidden-world.ts'
import { ESCAPED, escapes } from './sandbox-escapes.ts'
import { type Serving, type ToolSession, grant, openToolSession } from './tool-session.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Not below the folder for temporary files, which is another one in the sandbox. */
const BASE = '/var/tmp'
const AT_ONCE = 8

async function sandboxOf({ url, key }: Serving): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}` }
  const { body } = await exchangeJson<{ sandbox: unknown }>({
    method: 'GET',
    url: `${url}/api/polylogue/status`,
    headers,
  })
  return body.sandbox
}

/** Runs all of them, whatever the judge would ask, and returns what each printed. */
async function runAll(
  session: ToolSession,
  commands: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, unknown>> {
  const all = Object.entries(commands)
  for (let first = 0; first < all.length; first += AT_ONCE) {
    const some = all.slice(first, first + AT_ONCE)
    const { stopReason } = await session.turn(
      script(...some.map(([name, command]) => call(name, 'Bash', { command: disguised(command), timeoutMs: 20_000 }))),
    )
    if (stopReason !== 'tool_use') continue
    const waiting = [...(await session.calls())].filter(([, { runs, status }]) => runs === 0 && status === undefined)
    await session.turn(waiting.map(([id]) => grant(id)))
  }
  const calls = await session.calls()
  for (const name of Object.keys(commands)) expect([name, calls.get(name)?.runs]).toEqual([name, 1])
  return new Map([...calls].map(([name, { output }]) => [name, output]))
}

const escapedIn = (outputs: ReadonlyMap<string, unknown>): readonly string[] =>
  [...outputs].filter(([, output]) => String(output).includes(ESCAPED)).map(([name]) => name)

describe('the sandbox of commands', () => {
  const hostFile = join(tmpdir(), `polylogue-host-${process.pid}`)
  let world: ForbiddenWorld
  beforeAll(async () => {
    await writeFile(hostFile, 'canary-4d1f of the host')
    world = await createForbiddenWorld({ sandbox: 'required', hasAgents: false, base: BASE })
  })
  afterAll(async () => {
    await world.close()
    await rm(hostFile)
  })

  it('S9: none of more than 40 ways out of it leads anywhere', async () => {
    expect(await sandboxOf(world.server)).toBe('bubblewrap')
    const session = await openToolSession(world.server, { preset: 'workspace-write' })
    const ways = escapes(world.places, hostFile)
    expect(Object.keys(ways).length).toBeGreaterThan(40)
    const outputs = await runAll(session, ways)
    expect(escapedIn(outputs)).toEqual([])
    expect(await world.findDamage([session])).toEqual([])
    const beside = join(world.places.start, '..', 'escaped')
    const elsewhere = ['/etc/polylogue-escape', '/usr/local/bin/polylogue-escape', '/etc/cron.d/polylogue-escape']
    for (const made of [beside, ...elsewhere]) {
      await expect(access(made)).rejects.toThrow('ENOENT')
    }
  })

  it('S9: the data directory is not there for an agent that works in the folder around it', async () => {
    const session = await openToolSession(world.server, { agent: 'rooted', preset: 'workspace-write' })
    const ways = Object.entries(escapes(world.places, hostFile)).filter(([name]) =>
      /^(read|list|archive|write-key|write-other|soft|hard|find|init-root|owner)/.test(name),
    )
    expect(ways.length).toBeGreaterThan(8)
    const outputs = await runAll(session, Object.fromEntries(ways))
    await rm(join(world.places.start, 'out'))
    expect(escapedIn(outputs)).toEqual([])
    expect(await world.findDamage([session])).toEqual([])
  })

  it('S9: a command cannot write a configuration after another one that ran beside it has ended', async () => {
    const session = await openToolSession(world.server, { agent: 'rooted', preset: 'workspace-write' })
    const name = join(world.places.start, 'polylogue.config.mjs')
    const outputs = await runAll(session, {
      short: 'sleep 1',
      long: `sleep 2; d=polylogue.config; echo evil > "$d.mjs" && echo ${ESCAPED}`,
    })
    expect(escapedIn(outputs)).toEqual([])
    await expect(access(name)).rejects.toThrow('ENOENT')
    expect(await world.findDamage([session])).toEqual([])
  })

  it('a long output is looked into unasked, where its call says that all of it is', async () => {
    const session = await openToolSession(world.server, { preset: 'full-access' })
    const long = String((await runAll(session, { long: 'seq 1 30000' })).get('long'))
    const path = /all of it is in (\S+)/.exec(long)?.[1] ?? 'nowhere'
    await session.change({ preset: 'workspace-write' })
    await session.turn(script(call('tail', 'Bash', { command: `tail -n 2 ${path}` })))
    expect(await session.callOf('tail')).toMatchObject({ asked: [], status: 'completed', output: '29999\n30000' })
  })

  it('S9: a command still has its workspace, temporary files and programs', async () => {
    const session = await openToolSession(world.server, { preset: 'full-access' })
    const outputs = await runAll(session, { fine: 'echo a > made; cp made /tmp/made; cat made /tmp/made | wc -l' })
    expect(outputs.get('fine')).toBe('2')
  })
})

describe('without a sandbox', () => {
  let world: ForbiddenWorld
  beforeAll(async () => {
    world = await createForbiddenWorld({ sandbox: 'none', hasAgents: false, base: BASE })
  })
  afterAll(() => world.close())

  it('S9: the server says so, and the same ways do lead out', async () => {
    expect(await sandboxOf(world.server)).toBe('none')
    const session = await openToolSession(world.server, { preset: 'full-access' })
    const { 'read-key': readKey, network, signal } = escapes(world.places, '/dev/null')
    const outputs = await runAll(session, { 'read-key': readKey ?? '', network: network ?? '', signal: signal ?? '' })
    expect(escapedIn(outputs)).toEqual(['signal'])
    expect(await world.findDamage([session])).toEqual([
      expect.stringMatching(/^read-key of Bash learned sk-/),
      expect.stringMatching(/^read-key of Bash learned /),
      expect.stringMatching(/^network of Bash learned canary/),
      expect.stringMatching(/^the canary was visited/),
    ])
    expect((await session.callOf('signal')).meta).toMatchObject({ sandbox: 'none' })
  })
})
