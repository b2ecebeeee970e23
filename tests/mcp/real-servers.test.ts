import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { testDigest } from '@polylogue/testkit'
import { mcpServersSchema, type McpHold } from '@polylogue/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { eventually } from '../support/eventually.ts'
import { callTool, createMcpWorld, type McpWorld, problemOf } from './mcp-world.ts'

const require = createRequire(import.meta.url)
const programOf = (name: string): string =>
  join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), 'dist', 'index.js')
const NEWEST = join(import.meta.dirname, '../../packages/tools/src/mcp/test-support/newest-server.ts')

let world: McpWorld
let folder: TempDir
const stops: (() => Promise<void>)[] = []

beforeEach(async () => {
  world = await createMcpWorld()
  folder = await createTempDir()
})
afterEach(async () => {
  await world.end()
  for (const stop of stops.splice(0)) await stop()
  await folder.remove()
})

async function hold(servers: object): Promise<McpHold> {
  const held = world.pool.hold(mcpServersSchema.parse(servers))
  await held.settled()
  return held
}

/** A program that serves until the test is over; its first line, if it is to say one. */
async function run(args: readonly string[], env: Record<string, string> = {}): Promise<AsyncIterable<Buffer>> {
  const child = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  stops.push(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  await once(child, 'spawn')
  return child.stdout
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('it has no address')
  return address.port
}

/** The everything server over HTTP, once it answers. */
async function everythingOver(transport: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await freePort()
  await run([programOf('server-everything'), transport], { PORT: String(port) })
  const path = transport === 'sse' ? 'sse' : 'mcp'
  await eventually(
    async () => (await fetch(`http://127.0.0.1:${port}/none`).catch(() => undefined))?.status,
    'it listens',
  )
  return `http://127.0.0.1:${port}/${path}`
}

describe('the filesystem server', () => {
  it('reads and writes, with the effects it declares because it is trusted', async () => {
    const path = join(folder.path, 'note.txt')
    await writeFile(path, 'hello')
    const args = [programOf('server-filesystem'), folder.path, world.marker]
    const held = await hold({ files: { command: process.execPath, args, trusted: true } })
    const effects = new Map(held.tools().map(({ name, effect }) => [name, effect]))
    expect(effects.get('mcp_files_read_text_file')).toBe('readonly')
    expect(effects.get('mcp_files_write_file')).toBe('idempotent')
    expect(effects.get('mcp_files_edit_file')).toBe('unsafe')
    expect(await callTool(held, 'mcp_files_read_text_file', { path })).toMatchObject({ content: 'hello' })
    await callTool(held, 'mcp_files_write_file', { path, content: 'changed' })
    expect(await readFile(path, 'utf8')).toBe('changed')
    const outside = await callTool(held, 'mcp_files_read_text_file', { path: '/etc/hostname' })
    expect(outside).toMatchObject({ isError: true })
  })
})

describe('the everything server', () => {
  it('has prompts, which take their arguments in order', async () => {
    const args = [programOf('server-everything'), 'stdio', world.marker]
    const held = await hold({ all: { command: process.execPath, args } })
    const prompts = new Map(held.prompts().map((prompt) => [prompt.name, prompt]))
    expect(prompts.get('mcp_all_args-prompt')).toMatchObject({ server: 'all', arguments: ['city', 'state'] })
    const { signal } = new AbortController()
    expect(await prompts.get('mcp_all_simple-prompt')?.write('', signal)).toMatch(/simple prompt/i)
    expect(await prompts.get('mcp_all_args-prompt')?.write('"New York" NY', signal)).toMatch(/New York, NY/)
    await expect(prompts.get('mcp_all_args-prompt')?.write('', signal)).rejects.toThrow(/^MCP server all: .*city/s)
  })

  it('does everything that is of use here', async () => {
    const args = [programOf('server-everything'), 'stdio', world.marker]
    const held = await hold({ all: { command: process.execPath, args } })
    expect(new Set(held.tools().map(({ effect }) => effect))).toEqual(new Set(['unsafe']))
    expect(await callTool(held, 'mcp_all_echo', { message: 'hi' })).toEqual({ content: 'Echo: hi' })
    const picture = await callTool(held, 'mcp_all_get-tiny-image', {})
    expect(picture.content).toMatchObject([{ type: 'text' }, { type: 'image' }, { type: 'text' }])
    expect(picture.blobs).toMatchObject([{ mediaType: 'image/png', hash: testDigest(picture.blobs?.[0]?.bytes ?? '') }])
    expect((await callTool(held, 'mcp_all_get-resource-links', { count: 2 })).content).toContain('[resource ')
    const weather = await callTool(held, 'mcp_all_get-structured-content', { location: 'Chicago' })
    expect(JSON.parse(String(weather.content))).toHaveProperty('temperature')
    expect(weather.meta).toMatchObject({ structuredContent: { temperature: expect.any(Number) } })
    expect(await problemOf(callTool(held, 'mcp_all_get-sum', { a: 'x', b: 1 }))).toBe('a: must be number')
    const env = String((await callTool(held, 'mcp_all_get-env', {})).content)
    expect(JSON.parse(env)).not.toHaveProperty('POLYLOGUE_MODEL')
  })

  it.each([
    ['streamableHttp', 'http'],
    ['sse', 'sse'],
  ] as const)('is reached over %s', async (mode, transport) => {
    const held = await hold({ all: { url: await everythingOver(mode), transport } })
    expect(await callTool(held, 'mcp_all_echo', { message: 'hi' })).toEqual({ content: 'Echo: hi' })
  })
})

describe('a server of the newest protocol alone', () => {
  it('is spoken to over standard input and output', async () => {
    const held = await hold({ newest: { command: process.execPath, args: [NEWEST, 'stdio', world.marker] } })
    expect(await callTool(held, 'mcp_newest_echo', { msg: 'hi' })).toEqual({ content: 'hi' })
  })

  it('is used over HTTP, and its tool changes are noticed', async () => {
    let url = ''
    for await (const line of await run([NEWEST, 'http'])) {
      url = line.toString().trim()
      break
    }
    const held = await hold({ newest: { url } })
    expect(await callTool(held, 'mcp_newest_echo', { msg: 'hi' })).toEqual({ content: 'hi' })
    await callTool(held, 'mcp_newest_grow', {})
    await eventually(() => Promise.resolve(held.tools().find(({ name }) => name === 'mcp_newest_grown')), 'a new tool')
  })
})
