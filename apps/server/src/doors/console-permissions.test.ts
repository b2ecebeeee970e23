import { describe, expect, it } from 'vitest'
import { askOwner, createKeyOf } from '../test-support/ask-owner.ts'
import { exchange } from '../test-support/exchange.ts'
import { startServer, type TestServer } from '../test-support/start-server.ts'

const PERMISSIONS = '/api/polylogue/permissions'
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const ask = (server: TestServer, path: string, body?: unknown, key = server.localKey) =>
  exchange(`${server.url}${PERMISSIONS}${path}`, { headers: bearer(key), ...(body !== undefined && { body }) })

async function listRules(server: TestServer, key = server.localKey): Promise<readonly Record<string, unknown>[]> {
  return ((await ask(server, '', undefined, key)).body as { rules: readonly Record<string, unknown>[] }).rules
}

describe('rules', () => {
  it('are added at the end, listed and removed', async () => {
    const server = await startServer()
    const first = { tool: 'Bash', args: { command: '^npm test$' }, action: 'allow' }
    const second = { tool: 'WebFetch', domain: { blocklist: ['.example'], url_arg: 'target' }, action: 'deny' }
    const added = await ask(server, '', first)
    expect(added).toMatchObject({
      status: 201,
      body: { ...first, id: expect.stringMatching(/^rule_[0-9a-f]{24}$/), warnings: [], createdAt: expect.any(Number) },
    })
    await ask(server, '', second)
    expect(await listRules(server)).toMatchObject([first, second])
    const { id } = added.body as { id: string }
    const remove = () =>
      exchange(`${server.url}${PERMISSIONS}/${id}`, { method: 'DELETE', headers: bearer(server.localKey) })
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404])
    expect(await listRules(server)).toMatchObject([second])
  })

  it('belong to the user whose key it is; the owner socket speaks for the user local', async () => {
    const server = await startServer()
    const anna = await createKeyOf('anna', server.dataDir)
    const { body } = await ask(server, '', { tool: 'Bash', action: 'deny' }, anna.key)
    await askOwner(server.dataDir, 'POST', PERMISSIONS, { tool: 'Write', action: 'ask' })
    expect(await listRules(server, anna.key)).toMatchObject([{ tool: 'Bash' }])
    expect(await listRules(server)).toMatchObject([{ tool: 'Write' }])
    const { id } = body as { id: string }
    const removal = await exchange(`${server.url}${PERMISSIONS}/${id}`, {
      method: 'DELETE',
      headers: bearer(server.localKey),
    })
    expect(removal.status).toBe(404)
    expect(await listRules(server, anna.key)).toHaveLength(1)
  })

  it('survive a restart', async () => {
    const server = await startServer()
    await ask(server, '', { tool: 'Bash', action: 'deny' })
    await server.stop(0)
    const again = await startServer({ dataDir: server.dataDir })
    expect(await listRules(again)).toMatchObject([{ tool: 'Bash', action: 'deny' }])
  })

  it('acp 10.4: ask unless they say otherwise, and list what they take literally', async () => {
    const server = await startServer()
    const { body } = await ask(server, '', { tool: 'Bash', args: { command: 'f(' }, action: 'maybe' })
    expect(body).toMatchObject({
      action: 'ask',
      warnings: [
        'action: neither allow, ask nor deny: taken as ask',
        'args.command: no regular expression (missing closing ): `f(`): compared literally',
      ],
    })
    expect((await ask(server, '', { tool: 'Bash' })).body).toMatchObject({ action: 'ask', warnings: [] })
  })

  it.each([
    [{}, /^tool: /],
    [{ tool: '' }, /^tool: /],
    [{ tool: 'x', arg: { a: 'b' } }, /arg/],
    [{ tool: 'x', args: { a: 1 } }, /^args\.a: /],
    [{ tool: 'x', domain: {} }, /^domain: needs an allowlist or a blocklist/],
    [{ tool: 'x', domain: { allowlist: ['a'], ports: [1] } }, /ports/],
    [[], /^body: /],
    [{ tool: 'x'.repeat(1_001) }, /^tool: /],
  ])('are refused, naming the field: %j', async (body, sentence) => {
    const server = await startServer()
    expect(await ask(server, '', body)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(sentence) },
    })
    expect(await listRules(server)).toEqual([])
  })

  it('are 500 at most', async () => {
    const server = await startServer()
    const many = (count: number, from = 0) => ({
      rules: Array.from({ length: count }, (_, index) => ({ tool: `t${from + index}` })),
    })
    expect((await ask(server, '/import', many(500))).status).toBe(200)
    expect(await ask(server, '', { tool: 'one-more' })).toMatchObject({
      status: 400,
      body: { error: 'rules: a user has 500 at most.' },
    })
    expect((await ask(server, '/import', many(1, 500))).status).toBe(400)
  })

  it('have 262,144 characters together at most, also when they arrive together', async () => {
    const server = await startServer()
    const hosts = Array.from({ length: 200 }, (_, host) => `${'x'.repeat(200)}${host}`)
    const large = (index: number) => ({ tool: `t${index}`, domain: { allowlist: hosts } })
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => ask(server, '', large(index))))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      ...Array<number>(6).fill(201),
      ...Array<number>(6).fill(400),
    ])
    expect(answers.find(({ status }) => status === 400)?.body).toEqual({
      error: 'rules: all rules of a user have 262144 characters at most.',
    })
    const [first] = await listRules(server)
    const change = await exchange(`${server.url}${PERMISSIONS}/${String(first?.['id'])}`, {
      method: 'PATCH',
      headers: bearer(server.localKey),
      body: { ...large(1), domain: { allowlist: hosts, blocklist: hosts.slice(0, 100) } },
    })
    expect(change.status).toBe(400)
  })
})

describe('an import', () => {
  const file = {
    rules: [
      { tool: 'Read|Glob', action: 'allow' },
      { tool: 'Bash', args: { command: '^git (status|log)' }, action: 'allow' },
      { tool: 'WebFetch', domain: { allowlist: ['.github.com'] }, action: 'nonsense' },
    ],
  }

  it('acp 10.4: takes the JSON of a rules file in its order, and a second time nothing', async () => {
    const server = await startServer()
    expect((await ask(server, '/import', file)).body).toMatchObject({
      rules: [{ tool: 'Read|Glob' }, { tool: 'Bash' }, { tool: 'WebFetch', action: 'ask' }],
      known: 0,
      warnings: ['rules.2.action: neither allow, ask nor deny: taken as ask'],
    })
    expect((await ask(server, '/import', file)).body).toMatchObject({ rules: [], known: 3 })
    expect((await listRules(server)).map(({ tool }) => tool)).toEqual(['Read|Glob', 'Bash', 'WebFetch'])
  })

  it('of which one rule is wrong takes none', async () => {
    const server = await startServer()
    const answer = await ask(server, '/import', { rules: [...file.rules, { tools: 'x' }] })
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^rules\.3/) } })
    expect(await listRules(server)).toEqual([])
  })
})

it("shows what the operator's configuration says", async () => {
  const server = await startServer()
  expect((await ask(server, '')).body).toEqual({
    rules: [],
    operator: { deny: [], allowHosts: [], blockHosts: [], ceiling: 'workspace-write' },
  })
})
