import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { NEXT, call, script } from '../support/script.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'
import { type EditorApp, startEditorApp } from './support/editor-app.ts'

const PROGRAM = fileURLToPath(new URL('../../polylogue', import.meta.url))
const FILES = { fs: { readTextFile: true, writeTextFile: true } }
const ALL = { ...FILES, terminal: true }

// Several processes are started one after another, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

let world: AcpWorld
const children: ChildProcess[] = []
beforeAll(async () => {
  world = await createAcpWorld()
  await writeFile(
    join(world.path, 'config.json'),
    JSON.stringify({ bash: { sandbox: 'none' }, acp: { editorTerminals: true } }),
  )
  await writeFile(join(world.path, 'outside.txt'), 'secret')
  await symlink(join(world.path, 'outside.txt'), join(world.workDir, 'out'))
})
afterAll(() => world.close())
afterEach(async () => {
  for (const child of children.splice(0)) {
    const exited = child.exitCode === null ? once(child, 'exit') : undefined
    child.stdin?.end()
    await exited
  }
})

function start(...flags: readonly string[]): EditorApp {
  const args = ['acp', '--data', world.dataDir, '--agent', 'scripted', ...flags]
  const child = spawn(PROGRAM, args, { cwd: world.path, stdio: ['pipe', 'pipe', 'ignore'] })
  children.push(child)
  return startEditorApp(child)
}

const configured = () => start('--config', join(world.path, 'config.json'))
const inWork = (name: string) => join(world.workDir, name)
/** The model says what its tools answered. */
const saidIn = ({ updates }: EditorApp) =>
  updates
    .filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    .map(({ content }) => (content as { readonly text: string }).text)
    .join('')
const lastOf = ({ updates }: EditorApp, id: string) => updates.findLast(({ toolCallId }) => toolCallId === id)

describe('the files of an editor', () => {
  it('are what Read, Edit and Write work on', async () => {
    await writeFile(inWork('a.txt'), 'saved')
    const editor = start()
    editor.buffers.set(inWork('a.txt'), 'not saved')
    const id = await editor.open(world.workDir, ALL)
    const read = call('r', 'Read', { path: 'a.txt' })
    const edit = call('e', 'Edit', { path: 'a.txt', oldText: 'not saved', newText: 'edited' })
    const write = call('w', 'Write', { path: 'new/b.txt', content: 'made' })
    expect(await editor.prompt(id, script(read, NEXT, edit, NEXT, write))).toMatchObject({ stopReason: 'end_turn' })
    expect(lastOf(editor, 'r')).toMatchObject({ content: [{ content: { text: '```\n     1\tnot saved\n```' } }] })
    expect([...editor.buffers]).toEqual([
      [inWork('a.txt'), 'edited'],
      [inWork('new/b.txt'), 'made'],
    ])
    expect(await readFile(inWork('a.txt'), 'utf8')).toBe('saved')
    // Commands are not run in its terminals, unless the operator says so.
    await editor.prompt(id, call('b', 'Bash', { command: 'echo $((6*7))' }))
    expect(lastOf(editor, 'b')).toMatchObject({ content: [{ content: { text: '42' } }] })
    // An edit is read twice: once to show it, once to make it. A file that is written is read for /undo.
    const verbs = editor.asked.map((line) => line.split(' ')[0])
    expect(verbs).toEqual(['read', 'read', 'read', 'write', 'read', 'write'])
  })

  it('are those of the session’s editor, no matter which process owns the data directory', async () => {
    await writeFile(inWork('d.txt'), 'saved')
    const owner = start()
    owner.buffers.set(inWork('d.txt'), 'of the owner')
    const first = await owner.open(world.workDir, FILES)
    const piped = start()
    piped.buffers.set(inWork('d.txt'), 'of the other')
    const second = await piped.open(world.workDir, FILES)
    const read = call('r', 'Read', { path: 'd.txt' })
    await Promise.all([owner.prompt(first, read), piped.prompt(second, read)])
    expect(saidIn(owner)).toContain('of the owner')
    expect(saidIn(piped)).toContain('of the other')
  })

  it('are not requested for paths outside the workspace', async () => {
    const editor = start()
    const id = await editor.open(world.workDir, FILES)
    const paths = ['../outside.txt', 'out']
    await editor.prompt(id, script(...paths.map((path, index) => call(`w${index}`, 'Write', { path, content: 'x' }))))
    await editor.prompt(id, script(call('r0', 'Read', { path: '../outside.txt' }), call('r1', 'Read', { path: 'out' })))
    for (const call of ['w0', 'w1', 'r0', 'r1']) expect(lastOf(editor, call)).toMatchObject({ status: 'failed' })
    expect(editor.asked).toEqual([])
  })

  it('are replaced by the disk if the editor has no such file, and in profile seed', async () => {
    await writeFile(inWork('c.txt'), 'on disk')
    const editor = start()
    const id = await editor.open(world.workDir, FILES)
    await editor.prompt(id, call('r', 'Read', { path: 'c.txt' }))
    expect(saidIn(editor)).toContain('on disk')
    expect(editor.asked).toEqual([`read ${inWork('c.txt')}`])
    const seed = start('--profile', 'seed')
    seed.buffers.set(inWork('c.txt'), 'not saved')
    await seed.prompt(await seed.open(world.workDir, ALL), call('r', 'Read', { path: 'c.txt' }))
    expect(saidIn(seed)).toContain('on disk')
    expect(seed.asked).toEqual([])
  })
})

describe('the terminals of an editor', () => {
  it('run commands if the operator allows it, and are released', async () => {
    const editor = configured()
    const id = await editor.open(world.workDir, ALL)
    await editor.prompt(id, call('b', 'Bash', { command: 'echo $((6*7)); pwd; exit 3' }))
    expect(saidIn(editor)).toContain(`42\n${world.workDir}\nExit code 3.`)
    expect(editor.asked).toEqual(['create t1', 'wait t1', 'output t1', 'release t1'])
    expect(editor.updates).toContainEqual(
      expect.objectContaining({ toolCallId: 'b', content: [{ type: 'terminal', terminalId: 't1' }] }),
    )
    expect(lastOf(editor, 'b')).toMatchObject({ status: 'failed', content: [{ type: 'content' }] })
  })

  it('are not requested when the person declines', async () => {
    const editor = configured()
    editor.permission = 'reject'
    const id = await editor.open(world.workDir, ALL)
    await editor.prompt(id, call('b', 'Bash', { command: 'touch declined.txt' }))
    expect(lastOf(editor, 'b')).toMatchObject({ status: 'failed' })
    expect(editor.asked).toEqual([])
  })

  it('are killed and released when the turn is cancelled', async () => {
    const editor = configured()
    const id = await editor.open(world.workDir, ALL)
    const prompted = editor.prompt(id, call('b', 'Bash', { command: 'sleep 61' }))
    await editor.update((update) => JSON.stringify(update).includes('"terminal"'))
    const [child] = [...editor.terminals.values()]
    const exited = child && once(child, 'exit')
    await editor.cancel(id)
    expect(await prompted).toMatchObject({ stopReason: 'cancelled' })
    await exited
    await editor.prompt(id, 'say next')
    await expect.poll(() => editor.terminals.size, { timeout: 4000 }).toBe(0)
    // The output is asked for beside the kill.
    expect(editor.asked.toSorted()).toEqual(['create t1', 'kill t1', 'output t1', 'release t1', 'wait t1'])
    expect(editor.asked.at(-1)).toBe('release t1')
  })
})
