import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { type AapSession, attachSession, openSession } from '../support/aap-session.ts'
import type { HistoryMessage, TurnMessage } from '../support/aap-wire.ts'
import { type PlayedTurn, callsIn, textOf } from '../support/played-turn.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import type { SseStream } from '../support/sse-stream.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { openPresetSession } from './preset-session.ts'

let dir: TempDir
let server: ServerProcess
beforeAll(async () => {
  dir = await createTempDir()
  server = await start()
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

const FAST = { agent: { options: { pace: 'fast' } } }
const workspaceOf = (session: AapSession): string => join(dir.path, '.polylogue', 'workspaces', session.id)
const namesOf = ({ calls }: PlayedTurn): readonly string[] => calls.map(({ name }) => name)

/** The calls without a result, in the whole history. */
function waitingIn(history: readonly HistoryMessage[]) {
  const settled = new Set(history.map((message) => (message.role === 'tool' ? message.toolCallId : undefined)))
  return callsIn(history).filter(({ toolCallId, name }) => !settled.has(toolCallId) && name !== 'Agent')
}

async function answer(session: AapSession, content: string): Promise<TurnMessage[]> {
  return waitingIn(await session.history()).map(({ toolCallId }) => ({ role: 'tool', toolCallId, content }))
}

async function decide(session: AapSession, granted: boolean): Promise<TurnMessage[]> {
  return waitingIn(await session.history()).map(({ toolCallId }) => ({ role: 'tool_permission', toolCallId, granted }))
}

describe('a whole piece of work with the demo', () => {
  it('is done with the real tools, through a crash while it waits', { timeout: 60_000 }, async () => {
    let session = await openPresetSession(server.client(V3), 'assistant', 'workspace-write')
    const asked = await session.play('delta', 'work', FAST)
    expect(asked.stopReason).toBe('tool_use')
    expect(namesOf(asked)).toEqual(['TodoWrite', 'AskUserQuestion'])

    await server.kill()
    server = await start()
    session = attachSession(server.client(V3), session.id)
    const worked = await session.play('delta', await answer(session, 'A library at night'))
    expect(worked.stopReason).toBe('tool_use')
    expect(namesOf(worked)).toEqual(['TodoWrite', 'Write', 'Edit', 'Read', 'Grep', 'TodoWrite', 'Bash', 'Bash', 'Bash'])
    expect(worked.text).toContain('You answered “A library at night”.')

    const ended = await session.play('delta', await decide(session, true))
    expect(ended.stopReason).toBe('end_turn')
    expect(namesOf(ended)).toEqual(['Agent', 'TodoWrite'])
    expect(ended.results.map(({ content }) => content)).toContain(
      'first-page.md has 6 lines and begins with “# A library at night”.',
    )
    expect(ended.text.match(/^- .*: done$/gm)).toHaveLength(7)
    expect(ended.text).toContain(`The page is \`${workspaceOf(session)}/first-page.md\``)

    expect((await readdir(workspaceOf(session))).toSorted()).toEqual(['first-page.md', 'stamp.txt'])
    const page = await readFile(join(workspaceOf(session), 'first-page.md'), 'utf8')
    expect(page).toMatch(/^# A library at night\n/)
    expect(page).toContain('Done: this line was changed by Edit')
    expect(page).not.toContain('Draft')
    expect(waitingIn(await session.history())).toEqual([])
  })

  it('is finished by the next server, wherever the one before was killed', { timeout: 60_000 }, async () => {
    let session = await openPresetSession(server.client(V3), 'assistant', 'full-access')
    await session.play('none', 'work', FAST)
    const next = async (stream: SseStream, calls: number): Promise<SseStream> => {
      await stream.untilCount('tool_call', calls)
      await server.kill()
      await stream.finished().catch(() => undefined)
      server = await start()
      session = attachSession(server.client(V3), session.id)
      return session.client.events(session.id, `?after=${stream.frames.at(-1)?.id}`)
    }
    let stream = await session.stream('delta', await answer(session, 'The sea'))
    stream = await next(stream, 2)
    stream = await next(stream, 3)
    const frames = await stream.finished()
    expect(frames.at(-1)).toMatchObject({ event: 'turn_stop', data: { stopReason: 'end_turn' } })
    const history = await session.history()
    expect(textOf(history.slice(-1))).toMatch(/^- Have a sub-agent look at it: done$/m)
    expect(new Set(callsIn(history).map(({ toolCallId }) => toolCallId))).toEqual(
      new Set(history.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))),
    )
    expect(await readFile(join(workspaceOf(session), 'first-page.md'), 'utf8')).toMatch(/^# The sea\n/)
  })

  it('continues in Chinese after a no', { timeout: 60_000 }, async () => {
    const session = await openPresetSession(server.client(V3), 'assistant', 'workspace-write')
    await session.play('none', '干活', FAST)
    await session.play('none', await answer(session, '大海'))
    const ended = await session.play('none', await decide(session, false))
    expect(ended.stopReason).toBe('end_turn')
    expect(ended.text).toContain('把时间记到文件里: 你拒绝了')
    expect(ended.results.map(({ content }) => content)).toContain('first-page.md 有 6 行，开头是“# 大海”。')
    expect(await readdir(workspaceOf(session))).toEqual(['first-page.md'])
  })

  it('changes nothing while it plans, and says why', { timeout: 60_000 }, async () => {
    const session = await openPresetSession(server.client(V3), 'assistant', 'plan')
    const asked = await session.play('none', 'work', FAST)
    expect(asked.text).toContain('in planning and in read-only mode')
    const ended = await session.play('none', await answer(session, 'The sea'))
    expect(ended.stopReason).toBe('end_turn')
    expect(ended.text).toContain('- Write the page: left out')
    expect(ended.text).toContain('- Note the time in a file: refused by the mode or a rule')
    expect(await readdir(workspaceOf(session))).toEqual([])
  })

  it('uses what a client has listed, and says what is missing', { timeout: 60_000 }, async () => {
    const tools = ['Write', 'Read'].map((name) => ({ name, trust: true }))
    const session = await openSession(server.client(V3), { agent: 'assistant', tools, options: { pace: 'fast' } })
    const played = await session.play('none', 'work')
    expect(played.stopReason).toBe('end_turn')
    expect(namesOf(played)).toEqual(['Write', 'Read'])
    expect(played.text).toContain('I would need `AskUserQuestion`, `Edit`, `Bash`, `Agent`')
    expect(await readdir(workspaceOf(session))).toEqual(['first-page.md'])
  })
})
