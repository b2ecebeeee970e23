import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession } from '../support/aap-session.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { textOf } from '../support/played-turn.ts'
import { call, script } from '../support/script.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

const require = createRequire(import.meta.url)
const FILESYSTEM = join(
  dirname(require.resolve('@modelcontextprotocol/server-filesystem/package.json')),
  'dist',
  'index.js',
)

let folder: TempDir
let server: ServerProcess

beforeAll(async () => {
  folder = await createTempDir()
  await writeFile(join(folder.path, 'note.txt'), 'read me')
  const files = { command: process.execPath, args: [FILESYSTEM, folder.path] }
  const mcpServers = {
    trusted: { ...files, trusted: true },
    files,
    broken: { command: join(folder.path, 'there-is-no-such-program') },
  }
  await writeFile(join(folder.path, 'polylogue.config.json'), JSON.stringify({ mcpServers }))
  server = await startServerProcess({ dataDir: join(folder.path, 'data'), startDir: folder.path })
})

afterAll(async () => {
  await server.stop()
  await folder.remove()
})

const mcp = (...args: string[]) =>
  runPolylogue(['mcp', ...args, '--data', join(folder.path, 'data')], { cwd: folder.path, input: '' })

async function open(preset: string) {
  const made = await exchangeJson<{ readonly sessionId: string }>({
    method: 'POST',
    url: `${server.url}/api/polylogue/sessions`,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'scripted', preset }),
  })
  return attachSession(server.client(V3), made.body.sessionId)
}

describe('MCP servers of the configuration', () => {
  it('are listed with how they are, and tested by name', async () => {
    const ready = await mcp('test', 'files')
    expect(ready).toMatchObject({ code: 0, stderr: expect.stringMatching(/^files is ready and has \d+ tools\./) })
    expect(ready.stdout).toMatch(/^mcp_files_read_text_file +unsafe /m)
    expect((await mcp('test', 'trusted')).stdout).toMatch(/^mcp_trusted_read_text_file +readonly /m)
    const broken = await mcp('test', 'broken')
    expect(broken.code).toBe(1)
    expect(broken.stderr).toMatch(/^broken is (connecting|failed): ./)
    expect(await mcp('test', 'nobody')).toMatchObject({ code: 1, stderr: expect.stringContaining('Servers: ') })
    const list = await mcp('list')
    expect(list.stdout).toMatch(/^files +ready +\d+/m)
  })

  it('give their tools to agents, judged like others', async () => {
    const path = join(folder.path, 'note.txt')
    const read = (id: string, name: string) => script(call(id, `mcp_${name}_read_text_file`, { path }))
    const session = await open('workspace-write')
    expect(textOf((await session.turn(read('a', 'trusted'))).messages)).toContain('read me')
    expect(await session.turn(read('b', 'files'))).toMatchObject({ stopReason: 'tool_use' })
    const granted = await session.turn([{ role: 'tool_permission', toolCallId: 'b', granted: true }])
    expect(textOf(granted.messages)).toContain('read me')
    const planning = await open('plan')
    expect(textOf((await planning.turn(read('c', 'files'))).messages)).toContain('is not allowed in mode plan')
  })

  it('acp finding 10: are ready in the first turn of a run that is its own server', async () => {
    const config = join(folder.path, 'polylogue.config.json')
    const args = ['run', '--data', join(folder.path, 'other'), '--config', config, '--agent', 'scripted', 'show tools']
    const { code, stdout, stderr } = await runPolylogue(args, { cwd: folder.path })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toContain('"mcp_files_read_text_file"')
  })
})
