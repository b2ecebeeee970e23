import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { mkdir, readFile, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NEXT, call, script, shownMessages } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { grant, openToolSession, refuse } from './tool-session.ts'

const CONFIG = fileURLToPath(new URL('cards.config.ts', import.meta.url))

let server: TestServer
let page: Server
let pageUrl: string
let visits = 0
beforeAll(async () => {
  server = await startTestServer({ configFile: CONFIG })
  page = createServer((_, response) => {
    visits += 1
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Inner</title><h1>Hello</h1>')
  }).listen(0, '127.0.0.1')
  await once(page, 'listening')
  const address = page.address()
  pageUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/page`
})
afterAll(async () => {
  page.close()
  await server.stop()
})

describe('a piece of work', () => {
  it('is planned, written, read, changed, found and looked at without a question in workspace-write', async () => {
    const session = await openToolSession(server, { agent: 'worker' })
    const todos = (status: string) => ({ todos: [{ content: 'Write the notes', status }] })
    const played = await session.play(
      'none',
      script(
        call('plan', 'TodoWrite', todos('in_progress')),
        NEXT,
        call('write', 'Write', { path: 'notes/a.md', content: 'one\ntwo\nthree\n' }),
        NEXT,
        call('edit', 'Edit', { path: 'notes/a.md', oldText: 'two', newText: 'zwei' }),
        NEXT,
        call('read', 'Read', { path: 'notes/a.md', offset: 2, limit: 1 }),
        call('glob', 'Glob', { pattern: '**/*.md' }),
        call('grep', 'Grep', { pattern: 'z.ei' }),
        call('cat', 'Bash', { command: 'cat notes/a.md' }),
        NEXT,
        call('done', 'TodoWrite', todos('completed')),
        NEXT,
        'say Done.',
      ),
    )
    expect(played).toMatchObject({ stopReason: 'end_turn', text: 'Done.' })
    const calls = await session.calls()
    const file = join(session.workspace, 'notes/a.md')
    expect(await readFile(file, 'utf8')).toBe('one\nzwei\nthree\n')
    expect([...calls].map(([id, { status, asked }]) => [id, status, asked])).toEqual(
      ['plan', 'write', 'edit', 'read', 'glob', 'grep', 'cat', 'done'].map((id) => [id, 'completed', []]),
    )
    expect(calls.get('plan')).toMatchObject({
      facts: { type: 'notes' },
      preview: { title: 'Plan: 1 step' },
      output: 'The plan is kept. 1 of 1 steps are open. Now: Write the notes',
    })
    expect(calls.get('write')).toMatchObject({
      facts: { type: 'write-files' },
      preview: {
        title: 'Write notes/a.md',
        locations: [{ path: file }],
        diffs: [{ path: file, newText: 'one\ntwo\nthree\n' }],
      },
      output: 'Created notes/a.md (14 bytes).',
      changedFiles: [{ path: file, change: 'created' }],
    })
    expect(calls.get('edit')).toMatchObject({
      preview: {
        title: 'Edit notes/a.md',
        locations: [{ path: file, line: 2 }],
        diffs: [{ path: file, oldText: 'two', newText: 'zwei' }],
      },
      changedFiles: [{ path: file, change: 'modified' }],
    })
    expect(calls.get('read')).toMatchObject({ facts: { type: 'read-files' }, output: expect.stringContaining('zwei') })
    expect(calls.get('read')?.output).not.toContain('three')
    expect(calls.get('glob')?.output).toContain('notes/a.md')
    expect(calls.get('grep')?.output).toContain('notes/a.md:2:zwei')
    expect(calls.get('cat')).toMatchObject({
      facts: { type: 'shell', risk: 'safe', isUnderstood: true, hasWrapper: false },
      preview: { title: 'cat notes/a.md' },
      output: 'one\nzwei\nthree',
      meta: { exitCode: 0 },
    })
  })

  it('is done in the directory of its session, which another session does not see', async () => {
    const one = await openToolSession(server)
    const other = await openToolSession(server)
    await one.turn(script(call('w', 'Write', { path: 'mine.txt', content: 'mine' })))
    const played = await other.play(
      'none',
      script(call('g', 'Glob', { pattern: '**/*' }), call('l', 'Bash', { command: 'ls' })),
    )
    expect(played.results).toEqual([
      { toolCallId: 'g', content: expect.stringContaining('No files') },
      { toolCallId: 'l', content: '(no output)' },
    ])
    expect(await readFile(join(one.workspace, 'mine.txt'), 'utf8')).toBe('mine')
  })
})

describe('Bash', () => {
  it('runs the safe list unasked, asks for the rest, and says why something is denied', async () => {
    const session = await openToolSession(server, { agent: 'worker' })
    const asked = await session.play(
      'none',
      script(
        call('safe', 'Bash', { command: 'pwd' }),
        call('other', 'Bash', { command: 'touch made' }),
        call('unclear', 'Bash', { command: 'echo "unterminated' }),
        call('danger', 'Bash', { command: 'rm -rf /srv/notes' }),
        call('hard', 'Bash', { command: 'rm -rf /' }),
        call('operator', 'Bash', { command: 'kubectl get pods' }),
      ),
    )
    expect(asked.stopReason).toBe('tool_use')
    const waiting = await session.calls()
    expect([...waiting].map(([id, { status, asked: reasons, runs }]) => [id, status, reasons, runs])).toEqual([
      ['safe', 'completed', [], 1],
      ['other', undefined, ['mode-preset:Bash'], 0],
      ['unclear', undefined, ['mode-preset:Bash'], 0],
      ['danger', 'denied', [], 0],
      ['hard', 'denied', [], 0],
      ['operator', 'denied', [], 0],
    ])
    expect(waiting.get('danger')?.output).toBe(
      'Error: the tool Bash may not run this command in mode workspace-write: ' +
        'it deletes /srv/notes, which is not a folder inside of the workspace (rm -rf)',
    )
    expect(waiting.get('hard')?.output).toMatch(/^Error: the tool Bash may never run this command: .+$/)
    expect(waiting.get('operator')?.output).toBe('Error: the tool Bash was denied by a rule of the operator')

    const answered = await session.play('none', [grant('other'), refuse('unclear', 'say what you mean')])
    expect(answered.stopReason).toBe('end_turn')
    expect(await session.callOf('other')).toMatchObject({ status: 'completed', runs: 1, answers: [true] })
    expect(await session.callOf('unclear')).toMatchObject({
      status: 'denied',
      runs: 0,
      answers: [false],
      output: 'Tool call denied: say what you mean',
    })
    expect(await readFile(join(session.workspace, 'made'), 'utf8')).toBe('')
  })

  it('shows its output while it runs, and its exit code to clients', async () => {
    const session = await openToolSession(server, { preset: 'full-access' })
    await session.turn(script(call('f', 'Bash', { command: 'echo oh; exit 3' })))
    expect(await session.callOf('f')).toMatchObject({
      status: 'failed',
      output: 'oh\nExit code 3.',
      meta: { exitCode: 3 },
    })
  })

  it('is stopped alone when its call is cancelled, and the turn continues', async () => {
    const session = await openToolSession(server, { preset: 'full-access' })
    const stream = await session.stream(
      'message',
      script(call('long', 'Bash', { command: 'echo x > begun; sleep 300' }), call('short', 'echo', { msg: 'hi' })),
    )
    await stream.until(({ event, data }) => event === 'tool_result' && data['toolCallId'] === 'short')
    await session.cancelCall('long')
    const frames = await stream.finished()
    expect(frames.at(-1)).toMatchObject({ event: 'turn_stop', data: { stopReason: 'end_turn' } })
    expect(await session.callOf('long')).toMatchObject({
      status: 'cancelled',
      output: expect.stringMatching(/cancelled/),
    })
  })
})

describe('WebFetch', () => {
  const fetching = script(call('f', 'WebFetch', { url: 'PAGE' }))

  it('reads a page of an inner host only where the operator opened it', async () => {
    visits = 0
    const opened = await openToolSession(server, { agent: 'worker' })
    await opened.turn(fetching.replace('PAGE', pageUrl))
    expect(await opened.callOf('f')).toMatchObject({
      status: 'completed',
      asked: [],
      output: expect.stringMatching(/HTTP 200[^]*information from outside[^]*# Hello/),
    })
    expect(visits).toBe(1)
  })

  it('reaches no inner host otherwise, whatever the mode', async () => {
    const closed = await startTestServer()
    try {
      visits = 0
      const strict = await openToolSession(closed)
      await strict.turn(fetching.replace('PAGE', pageUrl))
      expect(await strict.callOf('f')).toMatchObject({ status: 'denied', runs: 0 })
      const mild = await openToolSession(closed, { preset: 'full-access' })
      await mild.turn(fetching.replace('PAGE', pageUrl))
      expect(await mild.callOf('f')).toMatchObject({ status: 'failed', output: expect.stringContaining('127.0.0.1') })
      expect(visits).toBe(0)
    } finally {
      await closed.stop()
    }
  })
})

describe("a tool's output for clients only", () => {
  it('is kept with the call, and the model never reads it', async () => {
    const session = await openToolSession(server, { agent: 'worker' })
    const played = await session.turn(
      script(call('w', 'weather', { city: 'Oslo' }), call('b', 'Bash', { command: 'pwd' }), NEXT, 'show messages'),
    )
    const { meta, output } = await session.callOf('w')
    expect(meta).toEqual({
      ui: { resourceHTML: '<p>card-for-clients</p>', target: 'inline', height: 120 },
      bridge: { action: 'show-map', payload: { zoom: 7 } },
    })
    expect(JSON.parse(String(output))).toEqual({ city: 'Oslo', sky: 'clear' })
    expect((await session.callOf('b')).meta).toMatchObject({ exitCode: 0 })
    const last = played.messages.slice(-1)
    const seen = JSON.stringify(shownMessages(last))
    expect(seen).toContain('clear')
    expect(seen).not.toMatch(/card-for-clients|show-map|_meta|exitCode/)
  })
})

describe('files that Git would run', () => {
  it('are nothing that Write makes unasked', async () => {
    const session = await openToolSession(server)
    await mkdir(join(session.workspace, '.git/hooks'), { recursive: true })
    await session.turn(script(call('g', 'Write', { path: '.git/hooks/pre-commit', content: '#!/bin/sh' })))
    const path = join(await realpath(session.workspace), '.git/hooks/pre-commit')
    expect(await session.callOf('g')).toMatchObject({ asked: [`protected-path:${path}`], runs: 0 })
    expect(await readdir(join(session.workspace, '.git/hooks'))).toEqual([])
    await session.turn([grant('g')])
    expect(await readdir(join(session.workspace, '.git/hooks'))).toEqual(['pre-commit'])
  })
})
