// Whole conversations between an editor built with the official SDK and the agent. Every frame is checked against the
// official schema.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadAcpFrameChecker } from '@polylogue/testkit'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { NEXT, call, script } from '../support/script.ts'
import type { Update } from './support/acp-process.ts'
import { createAcpWorld, type AcpWorld } from './support/acp-world.ts'
import { startEditorApp, type EditorApp } from './support/editor-app.ts'

const PROGRAM = fileURLToPath(new URL('../../polylogue', import.meta.url))
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

// Processes start here, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

let world: AcpWorld
let registry: Server
const children: ChildProcess[] = []
const editors: EditorApp[] = []

beforeAll(async () => {
  world = await createAcpWorld()
  await writeFile(join(world.path, 'config.json'), JSON.stringify({ acp: { editorTerminals: true } }))
  registry = createServer((_, response) => response.end('a package')).listen(0, '127.0.0.1')
  await once(registry, 'listening')
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    const exited = child.exitCode === null ? once(child, 'exit') : undefined
    child.stdin?.end()
    await exited
  }
  const problems = editors.splice(0).flatMap((editor) => editor.problems)
  if (problems.length > 0) throw new Error(`not frames of the protocol:\n${problems.join('\n')}`)
})
afterAll(async () => {
  registry.close()
  await world.close()
})

async function start(): Promise<EditorApp> {
  const args = ['acp', '--data', world.dataDir, '--agent', 'scripted', '--config', join(world.path, 'config.json')]
  const child = spawn(PROGRAM, args, { cwd: world.path, stdio: ['pipe', 'pipe', 'ignore'] })
  children.push(child)
  const editor = startEditorApp(child, await loadAcpFrameChecker())
  editors.push(editor)
  return editor
}

const inWork = (name: string): string => join(world.workDir, name)
const textOf = (updates: readonly Update[], kind: string): string =>
  updates
    .filter(({ sessionUpdate }) => sessionUpdate === kind)
    .map(({ content }) => (content as { readonly text?: string }).text ?? '')
    .join('')

it('edits a file that is not saved, and runs its test in a terminal of the editor', async () => {
  const editor = await start()
  const test = "import assert from 'node:assert'\nimport { sum } from './sum.mjs'\nassert.equal(sum(1, 2), 3)\n"
  await writeFile(inWork('sum.test.mjs'), test)
  await writeFile(inWork('sum.mjs'), 'export const sum = () => 0\n')
  editor.buffers.set(inWork('sum.mjs'), 'export const sum = (a, b) => a - b // not saved\n')
  const id = await editor.open(world.workDir, { fs: { readTextFile: true, writeTextFile: true }, terminal: true })
  const read = call('r', 'Read', { path: 'sum.mjs' })
  const edit = call('e', 'Edit', { path: 'sum.mjs', oldText: 'a - b // not', newText: 'a + b // not' })
  expect(await editor.prompt(id, script(read, NEXT, edit))).toMatchObject({ stopReason: 'end_turn' })
  expect(editor.updates.find(({ toolCallId, content }) => toolCallId === 'e' && content !== undefined)).toMatchObject({
    // Whole lines, with what is not saved.
    content: [
      {
        type: 'diff',
        oldText: 'export const sum = (a, b) => a - b // not saved',
        newText: 'export const sum = (a, b) => a + b // not saved',
      },
    ],
  })
  expect(editor.buffers.get(inWork('sum.mjs'))).toBe('export const sum = (a, b) => a + b // not saved\n')
  expect(await readFile(inWork('sum.mjs'), 'utf8')).toBe('export const sum = () => 0\n')

  // The editor saves, and the test passes there.
  await writeFile(inWork('sum.mjs'), editor.buffers.get(inWork('sum.mjs')) ?? '')
  await editor.prompt(id, call('t', 'Bash', { command: 'node sum.test.mjs && echo it passes' }))
  expect(editor.updates.findLast(({ toolCallId }) => toolCallId === 't')).toMatchObject({
    status: 'completed',
    content: [{ content: { text: 'it passes' } }],
  })
  expect(editor.asked.filter((line) => line.endsWith(' t1'))).toEqual([
    ...['create t1', 'wait t1', 'output t1', 'release t1'],
  ])
  // acp finding 10: the user reads the command, not the line of the sandbox.
  expect(editor.commands[0]).toMatch(/^\S+( \S+\/sandbox)? -c node sum\.test\.mjs && echo it passes$/)
})

it('runs a command that needs the network once the user allows it', async () => {
  const address = registry.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const editor = await start()
  const id = await editor.open(world.workDir, {})
  await editor.prompt(id, call('n', 'Bash', { command: `curl -s ${url}` }))
  expect(editor.updates.findLast(({ toolCallId }) => toolCallId === 'n')).toMatchObject({
    status: 'completed',
    content: [{ content: { text: 'a package' } }],
  })
})

it('forks a session, which goes its own way, and resumes the first one with its image', async () => {
  const editor = await start()
  const id = await editor.open(world.workDir, {})
  const image = { type: 'image', mimeType: 'image/png', data: PIXEL }
  const prompt = [{ type: 'text', text: 'say A dot' }, image]
  await editor.request('session/prompt', { sessionId: id, prompt })
  const { sessionId: fork } = await editor.request('session/fork', {
    sessionId: id,
    cwd: world.workDir,
    mcpServers: [],
  })
  expect(fork).not.toBe(id)
  await editor.prompt(String(fork), 'say Only in the fork')

  const later = await start()
  await later.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  const load = { sessionId: id, cwd: world.workDir, mcpServers: [] }
  await later.request('session/load', load)
  const sent = later.updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk')
  expect(sent.map(({ content }) => content)).toEqual([{ type: 'text', text: 'say A dot' }, image])
  expect(textOf(later.updates, 'agent_message_chunk')).toBe('A dot')
  const seen = later.updates.length
  await later.request('session/load', { ...load, sessionId: fork })
  const forked = later.updates.slice(seen)
  expect(textOf(forked, 'agent_message_chunk')).toBe('A dotOnly in the fork')
  expect(JSON.stringify(forked)).toContain(PIXEL)
  // A resume without the history goes on with it.
  await later.request('session/resume', { sessionId: id, cwd: world.workDir })
  await later.prompt(id, 'show messages')
  expect(textOf(later.updates, 'agent_message_chunk')).toContain('A dot')
})
