import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V1, V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { pendingCalls } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { untilGone, processesNaming } from './processes.ts'
import { type ToolSession, attachToolSession, grant, openToolSession, refuse } from './tool-session.ts'

const QUESTION = { questions: [{ question: 'Which one?', options: [{ label: 'Red' }, { label: 'Blue' }] }] }
const touch = (id: string) => call(id, 'Bash', { command: `touch ${id}` })
const delegate = (id: string, ...lines: string[]) =>
  call(id, 'Agent', { description: 'Do it', prompt: script(...lines) })

let dir: TempDir
let server: ServerProcess
beforeAll(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: dir.path })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

async function crash(): Promise<void> {
  await server.kill()
  server = await startServerProcess({ dataDir: dir.path })
}

const again = ({ id }: ToolSession): ToolSession => attachToolSession(server, id)

describe('a server that is killed and started again', () => {
  it('still asks what it asked, takes the answers, and runs each call once', async () => {
    const before = await Promise.all([
      openToolSession(server),
      openToolSession(server),
      openToolSession(server),
      openToolSession(server),
    ])
    const [own, question, child, refused] = before
    await own.turn(script(touch('a'), touch('b')))
    await question.turn(script(call('q', 'AskUserQuestion', QUESTION)))
    await child.turn(script(delegate('outer', delegate('inner', touch('deep')))))
    await refused.turn(script(touch('no')))
    const told = await Promise.all(before.map((session) => session.history()))

    await crash()

    const after = before.map(again)
    expect(await Promise.all(after.map((session) => session.history()))).toEqual(told)
    const [own2, question2, child2, refused2] = after as [ToolSession, ToolSession, ToolSession, ToolSession]
    expect(await own2.callOf('a')).toMatchObject({ asked: ['mode-preset:Bash'], answers: [], runs: 0 })
    expect(pendingCalls(await child2.history()).map(({ toolCallId }) => toolCallId)).toContain('deep')

    expect(await own2.turn([grant('a'), grant('b')])).toMatchObject({ stopReason: 'end_turn' })
    const answered = await question2.play('none', [{ role: 'tool', toolCallId: 'q', content: 'Blue' }])
    expect(answered.text).toBe('RESULTS 1: Blue')
    expect(await child2.turn([grant('deep')])).toMatchObject({ stopReason: 'end_turn' })
    expect(await refused2.turn([refuse('no', 'not now')])).toMatchObject({ stopReason: 'end_turn' })
    expect((await readdir(own2.workspace)).toSorted()).toEqual(['a', 'b'])
    expect(await readdir(child2.workspace)).toEqual(['deep'])
    expect(await readdir(refused2.workspace)).toEqual([])
    for (const [session, id] of [
      [own2, 'a'],
      [own2, 'b'],
      [child2, 'deep'],
    ] as const) {
      expect(await session.callOf(id)).toMatchObject({ status: 'completed', answers: [true], runs: 1 })
    }
  })

  it('ends the command that was running, says that its outcome is unknown, and does not run it again', async () => {
    const session = await openToolSession(server, { preset: 'full-access' })
    const marker = `crash-${session.id}`
    const command = `echo x >> ran; setsid bash -c 'while :; do sleep 0.02; done' ${marker} & echo up; wait`
    const stream = await session.stream('message', script(call('c', 'Bash', { command })))
    void stream.finished().catch(() => undefined)
    await processesNaming(marker, { atLeast: 1 })
    await crash()
    await untilGone(marker)
    const events = await again(session).client.events(session.id, '?after=0')
    await events.until(({ event }) => event === 'turn_stop')
    events.cut()
    expect(await again(session).callOf('c')).toMatchObject({ status: 'unknown', runs: 1 })
  })

  it('judges a call that waited by the mode that holds now', async () => {
    const session = await openToolSession(server)
    await session.turn(script(touch('t')))
    await session.change({ preset: 'plan' })
    await crash()
    await again(session).turn([grant('t')])
    expect(await again(session).callOf('t')).toMatchObject({ status: 'denied', runs: 0 })
  })
})

describe('two clients that answer at once', () => {
  it('are ordered: the first answer counts, on either base, and the call runs at most once', async () => {
    let granted = 0
    for (let round = 0; round < 12; round++) {
      const session = await openToolSession(server)
      const other = attachToolSession(server, session.id, V1)
      const id = `t${round}`
      await session.turn(script(touch(id)))
      const answers = [
        () => session.client.turn(session.id, { messages: [grant(id)] }),
        () => other.client.turn(session.id, { messages: [refuse(id, 'no')] }),
      ]
      const [one, two] = await Promise.all((round % 2 === 0 ? answers : answers.toReversed()).map((answer) => answer()))
      const statuses = [one?.status, two?.status]
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(statuses.find((status) => status !== 200)).toBeGreaterThanOrEqual(400)
      expect(statuses.find((status) => status !== 200)).toBeLessThan(500)
      const { answers: taken, runs, status } = await session.callOf(id)
      expect(taken).toHaveLength(1)
      expect([runs, status]).toEqual(taken[0] === true ? [1, 'completed'] : [0, 'denied'])
      granted += runs
    }
    expect(granted).toBeGreaterThan(0)
    expect(granted).toBeLessThan(12)
  })
})

describe('a call that waits', () => {
  it('is withdrawn when it is cancelled, and the turn continues without it', async () => {
    const session = await openToolSession(server)
    await session.turn(script(touch('t'), call('q', 'AskUserQuestion', QUESTION), NEXT, 'say on'))
    await session.cancelCall('t')
    expect(await session.callOf('t')).toMatchObject({ status: 'cancelled', runs: 0, answers: [] })
    await session.cancelCall('q')
    const events = await session.client.events(session.id, '?after=0&follow=1')
    const stop = await events.until(({ event, data }) => event === 'turn_stop' && data['stopReason'] !== 'tool_use')
    events.cut()
    expect(stop.data).toMatchObject({ stopReason: 'end_turn' })
    const late = await session.client.turn(session.id, { messages: [grant('t')] })
    expect(late.status).toBeGreaterThanOrEqual(400)
    expect(await readdir(session.workspace)).toEqual([])
  })

  it('is withdrawn when its user says something else instead, and no late answer runs it', async () => {
    const session = await openToolSession(server)
    await session.turn(script(touch('t')))
    expect(await session.play('none', 'say instead')).toMatchObject({ stopReason: 'end_turn', text: 'instead' })
    expect(await session.callOf('t')).toMatchObject({ status: 'cancelled', runs: 0, answers: [] })
    const late = await session.client.turn(session.id, { messages: [grant('t')] })
    expect(late.status).toBeGreaterThanOrEqual(400)
    expect(await session.callOf('t')).toMatchObject({ runs: 0 })
  })

  it('is not answered by another user', async () => {
    const session = await openToolSession(server)
    await session.turn(script(touch('t')))
    const stranger = server.client(V3, await server.createKey('stranger'))
    const answer = await stranger.turn(session.id, { messages: [grant('t')] })
    expect(answer.status).toBe(404)
    expect(await session.callOf('t')).toMatchObject({ answers: [], runs: 0 })
  })
})

describe('trust', () => {
  const listed = async (trust: boolean) => {
    const { id } = await openSession(server.client(V3), {
      tools: [
        { name: 'Bash', trust },
        { name: 'Agent', trust: true },
      ],
    })
    return attachToolSession(server, id)
  }

  it('waves through what would be asked, also of a sub-agent, and nothing that is denied', async () => {
    const session = await listed(true)
    await session.turn(
      script(
        touch('t'),
        call('hard', 'Bash', { command: 'rm -rf /' }),
        call('danger', 'Bash', { command: 'sudo ls' }),
        delegate('sub', touch('u'), call('deep', 'Bash', { command: 'sudo ls' })),
      ),
    )
    expect([...(await session.calls())].map(([id, { status, asked }]) => [id, status, asked])).toEqual([
      ['t', 'completed', []],
      ['hard', 'denied', []],
      ['danger', 'denied', []],
      ['sub', 'completed', []],
      ['u', 'completed', []],
      ['deep', 'denied', []],
    ])
  })

  it('is missing: even the safe list asks', async () => {
    const session = await listed(false)
    await session.turn(script(call('l', 'Bash', { command: 'ls' }), NEXT, 'say done'))
    expect(await session.callOf('l')).toMatchObject({ asked: ['not-trusted:Bash'], runs: 0 })
  })
})
