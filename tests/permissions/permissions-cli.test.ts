import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Finished, runPolylogue } from '../cli/run-polylogue.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

/** An agent with tools that ask. */
const UNSAFE = fileURLToPath(new URL('../support/counting.config.ts', import.meta.url))

let dir: TempDir
let server: ServerProcess
beforeAll(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: dir.path, flags: ['--config', UNSAFE] })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

const polylogue = (...args: readonly string[]): Promise<Finished> =>
  runPolylogue(args, { cwd: dir.path, environment: { POLYLOGUE_DATA: dir.path, TZ: 'UTC' } })
const permissions = (...args: readonly string[]): Promise<Finished> => polylogue('permissions', ...args)

const ask = <Body>(method: string, path = '', body?: unknown) =>
  exchangeJson<Body>({
    method,
    url: `${server.url}/api/polylogue/permissions${path}`,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  })

const stored = async () => (await ask<{ rules: readonly { readonly id: string }[] }>('GET')).body.rules

afterEach(async () => {
  for (const { id } of await stored()) await ask('DELETE', `/${id}`)
})

describe('polylogue permissions', () => {
  it('adds and lists rules', async () => {
    const added = await permissions('add', 'allow', 'Bash', '--arg', 'command=^npm test$', '--arg', 'cwd=app')
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^rule_[0-9a-f]{24}\n$/), stderr: '' })
    await permissions('add', 'deny', 'WebFetch', '--host', '.example.com', 'localhost', '--url-arg', 'target')
    const { stdout } = await permissions('list')
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(1))).toEqual([
      ['ACTION', 'TOOL', 'ONLY IF'],
      ['allow', 'Bash', 'command has ^npm test$, cwd has app'],
      ['deny', 'WebFetch', 'target is at .example.com localhost'],
      [],
    ])
  })

  it('removes a rule, and prints a message when there are none', async () => {
    const { body } = await ask<{ id: string }>('POST', '', { tool: 'Bash' })
    expect(await permissions('remove', body.id)).toMatchObject({ code: 0, stderr: `Removed ${body.id}.\n` })
    const [again, list] = await Promise.all([permissions('remove', body.id), permissions('list')])
    expect(again).toMatchObject({ code: 1, stderr: 'polylogue: No such rule.\n' })
    expect(list).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('no rules') })
  })

  it('says what it takes literally', async () => {
    const { code, stderr } = await permissions('add', 'deny', 'Bash', '--arg', 'command=rm (')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'Warning: args.command: no regular expression (missing closing ): `rm (`): compared literally.\n',
    })
  })

  it('acp 10.4: imports a file, and a project file is never read by itself', async () => {
    const rules = { rules: [{ tool: 'Read', action: 'allow' }, { tool: 'Bash' }] }
    writeFileSync(join(dir.path, 'permissions.json'), JSON.stringify(rules))
    expect(await stored()).toEqual([])
    expect(await permissions('import', 'permissions.json')).toMatchObject({ code: 0, stderr: 'Added 2 rules.\n' })
    const again = await permissions('import', 'permissions.json')
    expect(again.stderr).toBe('Added 0 rules; 2 existed already.\n')
    expect(JSON.parse((await permissions('list', '--json')).stdout)).toMatchObject({
      rules: [
        { tool: 'Read', action: 'allow' },
        { tool: 'Bash', action: 'ask' },
      ],
    })
  })

  it.each([
    ['missing.json', undefined, /^polylogue: missing\.json cannot be read: /],
    ['bad.json', '{"rules": [', /^polylogue: bad\.json is not JSON: /],
    ['wrong.json', '{"rules": [{"tools": "x"}]}', /^polylogue: wrong\.json: rules\.0/],
  ])('refuses %s in one sentence', async (name, content, sentence) => {
    if (content !== undefined) writeFileSync(join(dir.path, name), content)
    const { code, stdout, stderr } = await permissions('import', name)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('tries a rule against the calls that were made', async () => {
    const run = await polylogue('run', '--agent', 'counting', 'call c1 explode {"reason":"boom"}')
    expect(run.code).toBe(3)
    const test = (...args: string[]) => permissions('backtest', ...args)
    const shown = await test('deny', 'explode', '--arg', 'reason=boo')
    expect(shown.stdout.split('\n').map((line) => line.split(/ {2,}/).slice(1))).toEqual([
      ['TOOL', 'HAPPENED', 'NOW', 'WITH IT', 'CALL'],
      ['explode', 'unanswered', 'ask', 'deny', '{"reason":"boom"}'],
      [],
    ])
    expect(shown.stderr).toBe(
      'The rule matches 1 of 1 calls in 1 sessions: 0 allowed, 0 asked, 1 denied. ' +
        '1 would be decided differently.\n',
    )
    const other = await test('allow', 'explode', '--arg', 'reason=^oom', '--json')
    expect(JSON.parse(other.stdout)).toMatchObject({ looked: 1, calls: [], totals: { allow: 0 } })
    expect(await stored()).toEqual([])
  })
})
