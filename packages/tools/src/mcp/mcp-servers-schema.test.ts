import { describe, expect, it } from 'vitest'
import { parseWith } from '../parse-with.ts'
import { editorMcpServersSchema, mcpServersSchema } from './mcp-servers-schema.ts'

describe('the servers of a configuration', () => {
  it('are programs or addresses, not trusted and with a minute for a call unless said otherwise', () => {
    const servers = mcpServersSchema.parse({
      files: { command: 'files', args: ['/tmp'], env: { KEY: 'x' }, cwd: '/tmp', trusted: true, deadlineMs: 5000 },
      bare: { command: 'bare' },
      web: { url: 'https://mcp.example/mcp', headers: { Authorization: 'Bearer x' } },
      old: { url: 'http://127.0.0.1:1/sse', transport: 'sse' },
    })
    const usual = { trusted: false, deadlineMs: 60_000 }
    expect(servers).toEqual([
      {
        name: 'files',
        reach: { type: 'stdio', command: 'files', args: ['/tmp'], env: { KEY: 'x' }, cwd: '/tmp' },
        trusted: true,
        deadlineMs: 5000,
      },
      { name: 'bare', reach: { type: 'stdio', command: 'bare', args: [], env: {} }, ...usual },
      {
        name: 'web',
        reach: { type: 'http', url: 'https://mcp.example/mcp', headers: { Authorization: 'Bearer x' } },
        ...usual,
      },
      { name: 'old', reach: { type: 'sse', url: 'http://127.0.0.1:1/sse', headers: {} }, ...usual },
    ])
  })

  it.each([
    ['a program without a name', { a: { command: '' } }, 'a.command'],
    ['an unknown field', { a: { command: 'x', shell: true } }, 'a'],
    ['an address that is none', { a: { url: 'file:///etc/passwd' } }, 'a.url'],
    ['a header that hides another', { a: { url: 'http://x.example', headers: { A: 'b\r\nC: d' } } }, 'a.headers.A'],
    ['a variable that hides another', { a: { command: 'x', env: { 'A=B': 'c' } } }, 'a.env'],
    ['an argument with a NUL', { a: { command: 'x', args: ['a\0b'] } }, 'a.args'],
    ['nothing at all', { a: null }, 'a'],
    ['a list', [], ''],
  ])('refuse %s and name the field', (_, value, field) => {
    const parsed = parseWith(mcpServersSchema, value)
    expect(parsed).toMatchObject({ ok: false, problem: expect.stringContaining(field) as string })
  })
})

describe('the servers of an editor', () => {
  it('have their variables and headers as pairs, and are never trusted', () => {
    const servers = editorMcpServersSchema.parse([
      {
        name: 'a',
        command: 'x',
        args: ['1'],
        env: [
          { name: 'K', value: '1' },
          { name: 'K', value: '2' },
        ],
      },
      { type: 'http', name: 'b', url: 'https://b.example', headers: [{ name: 'H', value: 'v' }] },
      { type: 'sse', name: 'c', url: 'https://c.example', headers: null },
      { type: 'stdio', name: 'd', command: 'y', args: null, trusted: true },
    ])
    const usual = { trusted: false, deadlineMs: 60_000 }
    expect(servers).toEqual([
      { name: 'a', reach: { type: 'stdio', command: 'x', args: ['1'], env: { K: '2' } }, ...usual },
      { name: 'b', reach: { type: 'http', url: 'https://b.example', headers: { H: 'v' } }, ...usual },
      { name: 'c', reach: { type: 'sse', url: 'https://c.example', headers: {} }, ...usual },
      { name: 'd', reach: { type: 'stdio', command: 'y', args: [], env: {} }, ...usual },
    ])
  })

  it('count once for each name, the last of them', () => {
    const servers = editorMcpServersSchema.parse([
      { name: 'a', command: 'first' },
      { name: 'a', command: 'last' },
    ])
    expect(servers.map(({ reach }) => reach)).toEqual([{ type: 'stdio', command: 'last', args: [], env: {} }])
  })

  it.each([
    [[{ name: '', command: 'x' }]],
    [[{ command: 'x' }]],
    [[{ type: 'tcp', name: 'a', url: 'http://a.example' }]],
    [[{ name: 'a', command: 'x', env: { K: 'v' } }]],
    [[{ type: 'http', name: 'a' }]],
    [{ a: { command: 'x' } }],
    ['a'],
    [null],
  ])('refuse %j', (value) => {
    expect(editorMcpServersSchema.safeParse(value).success).toBe(false)
  })
})
