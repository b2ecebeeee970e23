import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asSessionId, asUserId, type JsonObject, type Tool, type ToolOutput } from '@polylogue/engine'
import { createInvocation } from '@polylogue/testkit'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBashTool } from '../bash/bash-tool.ts'
import { createBackgroundProcesses, type BackgroundProcesses } from './background-processes.ts'
import { createBackgroundTool } from './background-tool.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-background-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let processes: BackgroundProcesses
let cwd: string
beforeEach(() => {
  processes = createBackgroundProcesses()
  cwd = mkdtempSync(join(folder, 'work-'))
})
afterEach(() => processes.close())

async function call(tool: Tool, input: JsonObject, signal?: AbortSignal): Promise<ToolOutput> {
  return tool.run(createInvocation(tool, input, { workspace: { cwd, roots: [cwd] }, ...(signal && { signal }) }))
}

const bash = () =>
  createBashTool({ stateDir: join(folder, 'state'), outputDir: join(folder, 'outputs'), sandbox: 'none', processes })
const start = (command: string, signal?: AbortSignal) => call(bash(), { command, background: true }, signal)
const look = (input: JsonObject) => call(createBackgroundTool({ processes }), input)

/** A process that nobody has waited for is still listed. */
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
const pidIn = (name: string): number => Number(readFileSync(join(cwd, name), 'utf8'))

describe('a command in the background', () => {
  it('returns while it runs, and is read from the last look on', async () => {
    const first = await start(
      'echo ready; while [ ! -e go ]; do sleep 0.02; done; echo went; while :; do sleep 1; done',
    )
    expect(first.content).toBe('ready\n[p1 is running.]')
    expect((await look({ id: 'p1' })).content).toBe('(no new output)\n[p1 is running.]')
    writeFileSync(join(cwd, 'go'), '')
    expect((await look({ id: 'p1', waitMs: 20_000 })).content).toBe('went\n[p1 is running.]')
  })

  it('is stopped with everything that it has started', async () => {
    await start('sleep 500 & echo $! > child; echo $$ > shell; wait')
    const pids = [pidIn('child'), pidIn('shell')]
    expect(pids.map(isAlive)).toEqual([true, true])
    expect((await look({ id: 'p1', stop: true })).content).toMatch(/\[p1 has ended\./)
    expect(pids.map(isAlive)).toEqual([false, false])
    expect((await look({ id: 'p1', stop: true })).content).toMatch(/\[p1 has ended\./)
  })

  it('that fails at once says so in the result of its start', async () => {
    expect(await start('echo oh no; exit 3')).toMatchObject({
      content: 'oh no\n[p1 has ended. Exit code 3.]',
      isError: true,
    })
  })

  it('ends with its call if that is cancelled before it returns', async () => {
    const cancel = new AbortController()
    const starting = start('echo $$ > shell; sleep 500', cancel.signal)
    while (!existsSync(join(cwd, 'shell'))) await new Promise((resolve) => setImmediate(resolve))
    cancel.abort()
    expect((await starting).content).toContain('[p1 has ended.')
    expect(isAlive(pidIn('shell'))).toBe(false)
  })

  it('ends with its session, and with the server', async () => {
    await start('echo $$ > one; sleep 500')
    await processes.end(asSessionId('session'))
    expect(isAlive(pidIn('one'))).toBe(false)
    await expect(look({ id: 'p1' })).rejects.toThrow(
      'no command is named p1.\nNo command was started in the background.',
    )
    await start('echo $$ > two; sleep 500')
    await processes.close()
    expect(isAlive(pidIn('two'))).toBe(false)
    await expect(start('true')).rejects.toThrow('the server is stopping')
  })

  it('keeps the end of what it prints, and says how much is missing', async () => {
    const { content } = await start('yes 0123456789 | head -c 3000000; echo; echo last')
    const later = await look({ id: 'p1' })
    expect(String(content).length + String(later.content).length).toBeLessThan(150_000)
    expect(`${String(content)}${String(later.content)}`).toMatch(/last\n\[p1 has ended/)
  })
})

describe('a session', () => {
  const owner = (session: string, user = 'ann') => ({ sessionId: asSessionId(session), userId: asUserId(user) })
  const never = (signal: AbortSignal): Promise<ToolOutput> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve({ content: 'stopped' })))

  it('has eight at a time', async () => {
    const ids = Array.from({ length: 8 }, () => processes.start(owner('s'), 'sleep', never).id)
    expect(ids).toEqual(['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8'])
    expect(() => processes.start(owner('s'), 'sleep', never)).toThrow('8 commands run in the background already')
    await processes.find(asSessionId('s'), 'p3')?.stop()
    expect(processes.start(owner('s'), 'sleep', never).id).toBe('p9')
    expect(processes.start(owner('other'), 'sleep', never).id).toBe('p1')
  })

  it('has 32 in all sessions of its user', async () => {
    for (let count = 0; count < 32; count += 1) processes.start(owner(`s${count % 4}`), 'sleep', never)
    expect(() => processes.start(owner('s5'), 'sleep', never)).toThrow('32 commands of this user')
    expect(processes.start(owner('s6', 'bob'), 'sleep', never).id).toBe('p1')
    await processes.end(asSessionId('s1'))
    expect(processes.start(owner('s5'), 'sleep', never).id).toBe('p1')
  })

  it('does not see those of others', async () => {
    processes.start(owner('other'), 'true', async () => ({ content: '' }))
    await expect(look({ id: 'p1' })).rejects.toThrow('no command is named p1')
    expect((await look({})).content).toBe('No command was started in the background.')
  })

  it('lists its commands without an id, and their output stays unread', async () => {
    const waiting = 'while [ ! -e go ]; do sleep 0.02; done; echo went; while :; do sleep 1; done'
    await start(waiting)
    await start('true')
    expect((await look({ id: 'p2', waitMs: 20_000 })).content).toContain('p2 has ended')
    writeFileSync(join(cwd, 'go'), '')
    const list = `p1 is running: ${waiting}\np2 has ended: true`
    expect((await look({})).content).toBe(list)
    expect((await look({ id: 'p1', waitMs: 20_000 })).content).toBe('went\n[p1 is running.]')
    await expect(look({ stop: true })).rejects.toThrow(`name the command to stop.\n${list}`)
  })
})

it('looking is allowed in every mode, and stopping where notes are', async () => {
  const tool = createBackgroundTool({ processes })
  const workspace = { cwd, roots: [cwd] }
  const facts = async (input: JsonObject) => (await tool.inspect?.(input, workspace))?.facts.type
  expect(await facts({ id: 'p1', stop: false })).toBe('read-files')
  expect(await facts({ id: 'p1', stop: true })).toBe('notes')
})
