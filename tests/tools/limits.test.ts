import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NEXT, call, script } from '../support/script.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type ToolSession, openToolSession } from './tool-session.ts'
import { writeConfig } from './write-config.ts'

const agent = (name: string, maxSteps?: number) => ({
  name,
  instructions: 'Follow the script.',
  model: 'scripted',
  tools: ['Glob', 'Bash', 'Agent', 'AskUserQuestion'],
  ...(maxSteps && { maxSteps }),
  ...(name === 'usual' && { subAgents: ['short'] }),
})

let dir: TempDir
let server: TestServer
beforeAll(async () => {
  dir = await createTempDir()
  const startDir = await writeConfig(dir, { agents: [agent('usual'), agent('short', 3)], limits: { maxSteps: 7 } })
  server = await startTestServer({ startDir })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

/** Calls something in every step, for more steps than there may be. */
const forEver = (prefix: string) =>
  script(
    ...Array.from({ length: 30 }, (_, index) => [
      call(`${prefix}${index}`, 'Glob', { pattern: `*${index}` }),
      NEXT,
    ]).flat(),
  )

const delegate = (id: string, prompt: string, to?: string) =>
  call(id, 'Agent', { description: 'Do it', prompt, ...(to && { agent: to }) })

const ask = (id: string) => call(id, 'AskUserQuestion', { questions: [{ question: 'Go on?' }] })

async function countOf(session: ToolSession, type: string): Promise<number> {
  return (await session.events()).filter(({ event }) => event.type === type).length
}

describe('a loop agent', () => {
  it.each([
    ['the server', 'usual', 7],
    ['its agent', 'short', 3],
  ])('S22: stops at the step limit of %s, with all that it did', async (_, name, steps) => {
    const session = await openToolSession(server, { agent: name })
    const stopped = await session.turn(forEver('g'))
    expect(stopped).toMatchObject({ stopReason: 'error', error: { message: expect.stringMatching(/step/) } })
    expect(await countOf(session, 'step.started')).toBe(steps)
    expect([...(await session.calls()).values()].filter(({ status }) => status === 'completed')).toHaveLength(steps)
    expect(await session.play('none', 'say still here')).toMatchObject({ stopReason: 'end_turn', text: 'still here' })
  })

  it('S22: stops at the step limit of a sub-agent, and its parent continues', async () => {
    const session = await openToolSession(server, { agent: 'usual' })
    const played = await session.play('none', script(delegate('a', forEver('g'), 'short'), NEXT, 'say I go on'))
    expect(played).toMatchObject({ stopReason: 'end_turn', text: 'I go on' })
    expect([...(await session.calls()).keys()].filter((id) => id.startsWith('g'))).toHaveLength(3)
    expect(await session.callOf('a')).toMatchObject({ output: expect.stringMatching(/step/) })
  })

  it('S22: hands work on three deep, and no deeper', async () => {
    const session = await openToolSession(server, { agent: 'usual' })
    const nested = ['d', 'c', 'b', 'a'].reduce((inner, id) => delegate(id, inner), 'say too deep')
    const played = await session.play('none', nested)
    expect(played.stopReason).toBe('end_turn')
    expect(await countOf(session, 'loop.started')).toBe(3)
    expect(await session.callOf('d')).toMatchObject({
      runs: 0,
      status: 'failed',
      output: 'Error: sub-agents nest 3 deep at most',
    })
    expect(played.text).not.toContain('too deep')
  })

  it('S22: has 16 sub-agents at work, and the next one after one of them has ended', async () => {
    const session = await openToolSession(server, { agent: 'usual' })
    const children = Array.from({ length: 20 }, (_, index) => delegate(`a${index}`, ask(`q${index}`)))
    await session.turn(script(...children, NEXT, delegate('late', 'say late')))
    const calls = await session.calls()
    const agents = [...calls].filter(([, { name }]) => name === 'Agent')
    expect(agents.filter(([, { runs, status }]) => runs === 1 && status === undefined)).toHaveLength(16)
    const refused = agents.filter(([, { status }]) => status === 'failed').map(([, { output }]) => output)
    expect(refused).toEqual(Array.from({ length: 4 }, () => 'Error: 16 sub-agents are at work already'))
    const waiting = [...calls].filter(([, { name }]) => name === 'AskUserQuestion').map(([id]) => id)
    expect(waiting).toHaveLength(16)
    await session.turn(waiting.map((toolCallId) => ({ role: 'tool', toolCallId, content: 'Yes' })))
    expect(await session.callOf('late')).toMatchObject({ status: 'completed', output: 'late' })
  })

  it('S22: counts sub-agents of sub-agents among the 16', async () => {
    const session = await openToolSession(server, { agent: 'usual' })
    const inner = (at: number) =>
      script(...Array.from({ length: 5 }, (_, index) => delegate(`b${at}-${index}`, ask(`q${at}-${index}`))))
    await session.turn(script(...Array.from({ length: 4 }, (_, at) => delegate(`a${at}`, inner(at)))))
    expect(await countOf(session, 'loop.started')).toBe(16)
    const refused = [...(await session.calls()).values()].filter(({ status }) => status === 'failed')
    expect(refused.map(({ output }) => output)).toEqual(
      Array.from({ length: 8 }, () => 'Error: 16 sub-agents are at work already'),
    )
  })

  it('S22: stops a command at its time limit', async () => {
    const session = await openToolSession(server, { agent: 'usual', preset: 'full-access' })
    await session.turn(call('b', 'Bash', { command: 'echo begun; sleep 300', timeoutMs: 300 }))
    expect(await session.callOf('b')).toMatchObject({
      status: 'failed',
      output: 'begun\nStopped: it took longer than 300 ms.',
      meta: { stopped: 'time-limit' },
    })
  })
})
