import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { type AapSession, attachSession, openSession } from '../support/aap-session.ts'
import type { Permission } from '../support/aap-wire.ts'
import { foldFrames } from '../support/fold-frames.ts'
import { type PlayedTurn, inBlocks, textOf } from '../support/played-turn.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import type { Frame } from '../support/sse-parser.ts'
import type { SseStream } from '../support/sse-stream.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { shownLines } from './shown-lines.ts'

const runProgram = promisify(execFile)

let dir: TempDir
let server: ServerProcess
let session: AapSession
beforeAll(async () => {
  dir = await createTempDir()
  server = await start()
  session = await openSession(server.client(V3), {
    agent: 'assistant',
    tools: [{ name: 'CurrentTime', trust: true }, { name: 'KeepNote' }],
    options: { pace: 'fast' },
  })
})
afterAll(async () => {
  await server.kill()
  await dir.remove()
})

const start = (): Promise<ServerProcess> =>
  startServerProcess({
    dataDir: join(dir.path, '.polylogue'),
    startDir: dir.path,
    environment: { POLYLOGUE_MODEL: 'demo' },
  })

const allow = ({ calls }: PlayedTurn): Permission[] => decide(calls[0]?.toolCallId, true)
const deny = ({ calls }: PlayedTurn): Permission[] => decide(calls[0]?.toolCallId, false)

function decide(toolCallId = '', granted: boolean): Permission[] {
  return [{ role: 'tool_permission', toolCallId, granted }]
}

const notes = (): Promise<string> => readFile(join(dir.path, '.polylogue', 'demo-notes', 'local.txt'), 'utf8')

const deltasIn = (frames: readonly Frame[]): string =>
  frames.map(({ event, data }) => (event === 'text_delta' ? String(data['delta']) : '')).join('')

/** Begins an answer and waits until some of it has come. */
async function begin(text: string, deltas: number): Promise<SseStream> {
  const stream = await session.stream('delta', text)
  await stream.untilCount('text_delta', deltas)
  return stream
}

describe('a guided tour, from the first hello to the last goodbye', () => {
  it('begins with suggestions, and the history equals the stream', async () => {
    const frames = await (await session.stream('delta', 'Hello! What can you do?')).finished()
    expect(deltasIn(frames)).toContain('a scripted guide, no AI')
    expect(frames.filter(({ event }) => event === 'text_delta').length).toBeGreaterThan(50)
    expect(frames.some(({ event }) => event === 'thinking_delta')).toBe(true)
    expect(inBlocks(await session.history())).toEqual([
      { role: 'user', content: 'Hello! What can you do?' },
      ...foldFrames(frames),
    ])
  })

  it('runs a tool that the client trusts, and reports its result', async () => {
    const played = await session.play('delta', 'what time is it in Tokyo?')
    expect(played.stopReason).toBe('end_turn')
    expect(played.calls).toMatchObject([{ name: 'CurrentTime', input: { timeZone: 'Asia/Tokyo' } }])
    expect(played.results).toMatchObject([{ content: expect.stringContaining('Asia/Tokyo (GMT+9)') }])
    expect(played.text).toContain('Next: A tool that needs your yes.')
  })

  it('waits for a yes, and writes nothing after a no', async () => {
    const waiting = await session.play('delta', 'next')
    expect(waiting).toMatchObject({ stopReason: 'tool_use', calls: [{ name: 'KeepNote' }], results: [] })
    const denied = await session.play('delta', deny(waiting))
    expect(denied.stopReason).toBe('end_turn')
    expect(denied.text).toContain('You said no. `KeepNote` did not run')
    await expect(notes()).rejects.toThrow('ENOENT')
  })

  it('writes once after a yes', async () => {
    const waiting = await session.play('delta', 'note: buy milk')
    const allowed = await session.play('delta', allow(waiting))
    expect(allowed.results).toMatchObject([{ content: 'Note 1 is in demo-notes/local.txt.' }])
    expect(allowed.text).toContain('the tool ran once')
    expect(allowed.text).not.toContain('the other side')
    expect(await notes()).toMatch(/^\S+ buy milk\n$/)
  })

  it('cancels unanswered calls when the user sends another message', async () => {
    await session.play('delta', '3')
    const next = await session.play('delta', 'thanks')
    expect(next.text).toMatch(/^You are welcome\.\n\nNext: Several tools side by side/)
    expect(await session.read()).toMatchObject({ sessionId: session.id })
    expect(await notes()).toMatch(/^\S+ buy milk\n$/)
  })

  it('runs several calls of one step side by side', async () => {
    const played = await session.play('delta', 'next')
    expect(played.calls.map(({ input }) => input['timeZone'])).toEqual([
      'Asia/Shanghai',
      'Europe/Berlin',
      'America/New_York',
    ])
    expect(played.results).toHaveLength(3)
    expect(played.text).toContain('only when every call had its result')
  })

  it('keeps the text of a stopped answer, and continues', async () => {
    const stream = await begin('5', 20)
    expect((await session.client.cancel(session.id)).status).toBe(202)
    const frames = await stream.finished()
    expect(frames.at(-1)).toMatchObject({ event: 'turn_stop', data: { stopReason: 'error', cancelled: true } })
    const [last] = (await session.history()).slice(-1)
    expect(textOf(last ? [last] : [])).toBe(deltasIn(frames))
    expect((await session.play('none', 'hi')).stopReason).toBe('end_turn')
  })

  it('shows every word once to a client that leaves and comes back', async () => {
    const stream = await begin('5', 20)
    stream.cut()
    const seen = [...stream.frames]
    const after = seen.at(-1)?.id ?? ''
    const rest = await (await session.client.events(session.id, `?after=${after}`)).finished()
    expect(rest.at(-1)?.data['stopReason']).toBe('end_turn')
    const [last] = (await session.history()).slice(-1)
    expect(deltasIn([...seen, ...rest])).toBe(textOf(last ? [last] : []))
  })

  it('continues after a kill -9 in the middle, done with the lines that the guide shows', async () => {
    const lines = shownLines((await session.play('none', '6')).text)
    const script = lines.replaceAll('http://127.0.0.1:8020', server.url)
    const stream = await begin('6', 90)
    await runProgram('sh', ['-euc', script], { cwd: dir.path })
    await expect(stream.finished()).rejects.toThrow(/aborted|reset/i)
    await server.kill()

    server = await start()
    session = attachSession(server.client(V3), session.id)
    const rest = await (await session.client.events(session.id, `?after=${stream.frames.at(-1)?.id}`)).finished()
    expect(rest.at(-1)?.data['stopReason']).toBe('end_turn')
    const [broken, whole] = (await session.history()).slice(-2).map((message) => textOf([message]))
    expect(broken).not.toBe('')
    expect(whole?.startsWith(broken ?? '-')).toBe(true)
    expect(whole).toContain('welcome back')
  })

  it('still waits for a yes after a restart, and then runs once', async () => {
    const waiting = await session.play('delta', 'note: sell it')
    await server.stop()
    server = await start()
    session = attachSession(server.client(V3), session.id)
    const allowed = await session.play('delta', allow(waiting))
    expect(allowed.results).toMatchObject([{ content: 'Note 2 is in demo-notes/local.txt.' }])
    expect(await notes()).toMatch(/^\S+ buy milk\n\S+ sell it\n$/)
  })

  it('remembers what it has shown', async () => {
    const { text } = await session.play('none', 'menu')
    const marked = [...text.matchAll(/^(\d)\. .* ✓$/gm)].map(([, number]) => number)
    expect(marked).toEqual(['2', '3', '4', '5', '6'])
  })

  it('says goodbye', async () => {
    const played = await session.play('delta', 'bye')
    expect(played.stopReason).toBe('end_turn')
    expect(played.text).toContain('This session stays where it is')
  })
})

describe('a guided tour in Chinese', () => {
  it('answers in the language of the newcomer', async () => {
    const tour = await openSession(server.client(V3), {
      agent: 'assistant',
      tools: [{ name: 'KeepNote' }],
      options: { pace: 'fast' },
    })
    const frames = await (await tour.stream('delta', '你好，你能做什么？')).finished()
    expect(deltasIn(frames)).toContain('不是 AI')
    expect(frames.filter(({ event }) => event === 'text_delta').length).toBeGreaterThan(100)
    expect(inBlocks(await tour.talk()).slice(1)).toEqual(foldFrames(frames))
    const waiting = await tour.play('delta', '3')
    expect((await tour.play('delta', deny(waiting))).text).toContain('你拒绝了')
    expect((await tour.play('delta', '2')).text).toContain('这个会话没有它')
  })
})
