import { randomBytes } from 'node:crypto'
import { mkdir, readFile, readdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AcpProcess, startAcp } from '../acp/support/acp-process.ts'
import { call, script } from '../support/script.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { findProcesses, processesNaming, untilGone } from '../tools/processes.ts'

const PROGRAM = join(import.meta.dirname, '../../apps/server/src/session-tools/test-support/plain-mcp-server.ts')
const SECRET = 'token-of-an-editor-4711'

let folder: TempDir
let work: string
let marker: string
const editors: AcpProcess[] = []

beforeEach(async () => {
  folder = await createTempDir()
  work = join(folder.path, 'work')
  marker = `brought-${randomBytes(8).toString('hex')}`
  await mkdir(work)
})
afterEach(async () => {
  for (const editor of editors.splice(0)) {
    editor.kill()
    await editor.exited
  }
  await untilGone(marker)
  await folder.remove()
})

const server = (name: string, tools: string) => ({
  name,
  command: process.execPath,
  args: [PROGRAM, tools, marker],
  env: [{ name: 'GIVEN_TOKEN', value: SECRET }],
})

async function openEditor(flags: readonly string[] = []): Promise<AcpProcess> {
  const editor = startAcp({ dataDir: join(folder.path, 'data'), startDir: folder.path, flags })
  editors.push(editor)
  editor.onRequest('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }))
  await editor.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  return editor
}

const prompt = (editor: AcpProcess, sessionId: unknown, text: string) =>
  editor.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })

async function storedTexts(): Promise<string> {
  const files = await readdir(folder.path, { recursive: true, withFileTypes: true })
  const texts = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map((file) => readFile(join(file.parentPath, file.name), 'latin1').catch(() => '')),
  )
  return texts.join('\n')
}

describe('MCP servers that an editor brings into a session', () => {
  it('work in its directory, ask before they are used, and end with the editor', async () => {
    const editor = await openEditor()
    const { sessionId } = await editor.request('session/new', { cwd: work, mcpServers: [server('given', 'where')] })
    const { stopReason } = await prompt(editor, sessionId, call('a', 'mcp_given_where'))
    expect(stopReason).toBe('end_turn')
    expect(editor.said(String(sessionId))).toContain(`RESULTS 1: ${await realpath(work)} ${SECRET}`)
    expect(editor.frames.filter(({ method }) => method === 'session/request_permission')).toHaveLength(1)
    expect(await findProcesses(marker)).toHaveLength(1)
    editor.endInput()
    expect(await editor.exited).toEqual({ code: 0, signal: null })
    expect(await findProcesses(marker)).toEqual([])
  })

  it('are replaced when the session is loaded with other ones, and end when it is closed', async () => {
    const editor = await openEditor()
    const { sessionId } = await editor.request('session/new', { cwd: work, mcpServers: [server('one', 'echo')] })
    await prompt(editor, sessionId, call('a', 'mcp_one_echo', { msg: 'first' }))
    await editor.request('session/load', { sessionId, cwd: work, mcpServers: [server('two', 'echo')] })
    await prompt(editor, sessionId, call('b', 'mcp_two_echo', { msg: 'second' }))
    await prompt(editor, sessionId, call('c', 'mcp_one_echo', { msg: 'third' }))
    expect(editor.said(String(sessionId))).toContain('RESULTS 1: second')
    expect(editor.said(String(sessionId))).toContain('there is no tool called mcp_one_echo')
    expect(await findProcesses(marker)).toHaveLength(1)
    await editor.request('session/close', { sessionId })
    expect(await findProcesses(marker)).toEqual([])
  })

  it('are not covered by what was allowed to another program or address that calls itself the same', async () => {
    const editor = await openEditor()
    editor.onRequest('session/request_permission', () => ({
      outcome: { outcome: 'selected', optionId: 'allow_always' },
    }))
    const asked = () => editor.frames.filter(({ method }) => method === 'session/request_permission').length
    const first = server('given', 'echo')
    const { sessionId } = await editor.request('session/new', { cwd: work, mcpServers: [first] })
    await prompt(editor, sessionId, call('a', 'mcp_given_echo', { msg: 'first' }))
    await prompt(editor, sessionId, call('b', 'mcp_given_echo', { msg: 'again' }))
    expect(asked()).toBe(1)

    const disguised = { ...first, args: [...first.args, 'another'] }
    await editor.request('session/load', { sessionId, cwd: work, mcpServers: [disguised] })
    await prompt(editor, sessionId, call('c', 'mcp_given_echo', { msg: 'second' }))
    expect(asked()).toBe(2)

    await editor.request('session/load', { sessionId, cwd: work, mcpServers: [first] })
    await prompt(editor, sessionId, call('d', 'mcp_given_echo', { msg: 'third' }))
    expect(asked()).toBe(2)
  })

  it('are there in the first prompt, and so are those of the configuration', async () => {
    const { name: _, env: __, ...configured } = server('', 'echo')
    const config = { mcpServers: { configured: { ...configured, trusted: true } } }
    const file = join(folder.path, 'polylogue.config.json')
    await writeFile(file, JSON.stringify(config))
    const editor = await openEditor(['--config', file])
    const { sessionId } = await editor.request('session/new', { cwd: work, mcpServers: [server('given', 'echo')] })
    const calls = ['given', 'configured'].map((name) => call(name, `mcp_${name}_echo`, { msg: `of ${name}` }))
    await prompt(editor, sessionId, script(...calls))
    // In the order in which they came.
    expect(editor.said(String(sessionId)).split(/: |\|/).toSorted()).toEqual(['RESULTS 2', 'of configured', 'of given'])
  })

  it('leave nothing behind when the editor’s process is killed', async () => {
    const editor = await openEditor()
    await editor.request('session/new', { cwd: work, mcpServers: [server('given', 'echo')] })
    await processesNaming(marker, { atLeast: 1 })
    editor.kill()
    await editor.exited
    await untilGone(marker)
  })

  it('keep their own options', async () => {
    const editor = await openEditor()
    const servers = [server('given', 'echo'), { ...server('broken', 'echo'), command: join(work, 'nothing-here') }]
    const { sessionId } = await editor.request('session/new', { cwd: work, mcpServers: servers })
    await prompt(editor, sessionId, call('a', 'mcp_given_echo', { msg: 'hello' }))
    expect(editor.said(String(sessionId))).toContain('hello')
    expect(JSON.stringify(editor.frames)).not.toContain(SECRET)
    editor.endInput()
    await editor.exited
    expect(editor.stderr).not.toContain(SECRET)
    const stored = await storedTexts()
    expect(stored).toContain('mcp_given_echo')
    expect(stored).not.toContain(SECRET)
  })
})
