// The real program, killed with -9 and started again on the same data.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DIALECTS, V1, V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { type CountingAgent, prepareCountingAgent } from '../support/counting-agent.ts'
import { eventually } from '../support/eventually.ts'
import { foldFrames } from '../support/fold-frames.ts'
import { pendingCalls, textOf } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'

let data: TempDir
let counting: CountingAgent
let server: ServerProcess

const start = (): Promise<ServerProcess> =>
  startServerProcess({
    dataDir: data.path,
    flags: ['--config', counting.configFile],
    environment: counting.environment,
  })

async function killAndRestart(): Promise<void> {
  await server.kill()
  server = await start()
}

beforeEach(async () => {
  data = await createTempDir()
  counting = await prepareCountingAgent()
  server = await start()
})

afterEach(async () => {
  await server.kill()
  await Promise.all([data.remove(), counting.remove()])
})

describe('a server that is killed with -9', () => {
  it('in the middle of an answer: the message is there, the turn continues, and a reader gets the rest', async () => {
    const session = await openSession(server.client(V3))
    const spoken = script(
      'say words that were heard',
      'sleep 600',
      'say half a second later',
      'sleep 600',
      'say the end',
    )
    const stream = await session.stream('delta', spoken)
    const last = await stream.untilText('half a second later')
    await killAndRestart()
    await expect(stream.finished()).rejects.toThrow(/aborted|ECONNRESET|hang up/)

    const again = attachSession(server.client(V3), session.id)
    expect((await again.history())[0]).toEqual({ role: 'user', content: spoken })
    const rest = await (await again.client.events(session.id, `?after=${last.id}`)).finished()
    expect(rest.at(-1)?.data).toMatchObject({ event: 'turn_stop', stopReason: 'end_turn' })
    expect(textOf(foldFrames(rest))).toContain('the end')

    const talk = await again.history()
    expect(talk.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant'])
    expect(textOf(talk.slice(1, 2))).toMatch(/^words that were heard/)
    expect(textOf(talk.slice(2))).toBe('words that were heard\nhalf a second later\nthe end')
    expect(textOf((await again.turn('say next')).messages)).toBe('next')
  })

  it.each(DIALECTS)('while calls wait: they can still be answered over $name, and run once', async (dialect) => {
    const clientTools = [dialect.tool('weather', 'Tells the weather', { type: 'object' })]
    const session = await openSession(server.client(dialect), {
      agent: 'counting',
      tools: [{ name: 'count' }],
      clientTools,
    })
    const run = counting.nextRun()
    await session.turn(script(call('w1', 'weather'), call('w2', 'count', { run }), NEXT, 'say both are in'))
    const before = await session.history()
    await killAndRestart()

    const again = attachSession(server.client(dialect), session.id)
    expect(await again.history()).toEqual(before)
    expect(pendingCalls(before).map(({ toolCallId }) => toolCallId)).toEqual(['w1', 'w2'])
    expect((await again.read()).tools).toEqual(clientTools)
    const played = await again.play('delta', [
      { role: 'tool', toolCallId: 'w1', content: 'sun' },
      { role: 'tool_permission', toolCallId: 'w2', granted: true },
    ])
    expect(played.results).toEqual([{ toolCallId: 'w2', content: `counted ${run}` }])
    expect(played).toMatchObject({ stopReason: 'end_turn', text: 'both are in' })
    expect(await counting.timesRun(run)).toBe(1)
  })

  it('while a readonly tool runs: it runs again, and the turn ends as if nothing had happened', async () => {
    const session = await openSession(server.client(V3), { tools: [{ name: 'slow', trust: true }] })
    const stream = await session.stream('delta', script(call('r1', 'slow', { ms: 400 }), NEXT, 'say waited'))
    const asked = await stream.until(({ event }) => event === 'tool_call')
    await killAndRestart()
    const rest = await (await server.client(V3).events(session.id, `?after=${asked.id}`)).finished()
    expect(rest.map(({ event }) => event)).toEqual(['tool_result', 'text_delta', 'turn_stop'])
    expect(rest.at(-1)?.data).toMatchObject({ stopReason: 'end_turn' })
  })

  it('while an unsafe tool runs: it does not run again, its outcome is reported as unknown, the turn continues', async () => {
    const session = await openSession(server.client(V3), {
      agent: 'counting',
      tools: [{ name: 'linger', trust: true }],
    })
    const run = counting.nextRun()
    const stream = await session.stream('delta', script(call('u1', 'linger', { run }), NEXT, 'say I was told'))
    const asked = await stream.until(({ event }) => event === 'tool_call')
    await eventually(async () => ((await counting.timesRun(run)) === 1 ? true : undefined), 'the tool has begun')
    await killAndRestart()
    const rest = await (await server.client(V3).events(session.id, `?after=${asked.id}`)).finished()
    expect(rest.map(({ event }) => event)).toEqual([
      'tool_result',
      ...rest.slice(1, -1).map(() => 'text_delta'),
      'turn_stop',
    ])
    expect(rest[0]?.data).toMatchObject({ toolCallId: 'u1', content: expect.stringMatching(/unknown/i) })
    expect(textOf(foldFrames(rest))).toBe('I was told')
    expect(await counting.timesRun(run)).toBe(1)
  })

  it('again and again: whatever was acknowledged is there, in order, on both bases', async () => {
    const first = await openSession(server.client(V3))
    const expected: string[] = []
    for (let round = 0; round < 4; round++) {
      const session = attachSession(server.client(round % 2 === 0 ? V3 : V1), first.id)
      await Promise.all(Array.from({ length: 5 }, () => openSession(server.client(V3))))
      const answer = await session.turn(`say round ${round}`)
      expect(answer.stopReason).toBe('end_turn')
      expected.push(`say round ${round}`, `round ${round}`)
      await killAndRestart()
      const history = await attachSession(server.client(V3), first.id).history()
      expect(history.map((each) => (each.role === 'user' ? each.content : textOf([each])))).toEqual(expected)
    }
    const { sessions } = (await server.client(V3).list()).body
    expect(sessions).toHaveLength(21)
  })

  it('a repeated Idempotency-Key joins the turn that the dead server had taken', async () => {
    const session = await openSession(server.client(V3), { agent: 'counting', tools: [{ name: 'count', trust: true }] })
    const run = counting.nextRun()
    const content = script(call('k1', 'count', { run }), NEXT, 'sleep 300', 'say counted once')
    const body = { stream: 'delta', messages: [{ role: 'user', content }] }
    const key = { 'idempotency-key': 'survives' }
    const stream = await server.client(V3).streamTurn(session.id, body, key)
    await stream.until(({ event }) => event === 'tool_result')
    await killAndRestart()
    const again = await server.client(V3).streamTurn(session.id, body, key)
    const frames = await again.finished()
    expect(frames.at(-1)?.data).toMatchObject({ event: 'turn_stop', stopReason: 'end_turn' })
    expect(textOf(foldFrames(frames))).toBe('counted once')
    const talk = await server.client(V3).history(session.id, 'full')
    expect(talk.filter(({ role }) => role === 'user')).toHaveLength(1)
    expect(await counting.timesRun(run)).toBe(1)
  })

  it('writes neither secrets nor conversations to its log', async () => {
    const options = { apiKey: 'sk-not-for-logs' }
    const session = await openSession(server.client(V3), { agent: 'scripted', options })
    await session.turn('say between you and me')
    await session.turn(script('say half', 'fail'), { agent: { options: { apiKey: 'sk-nor-this-one' } } })
    await session.client.turn(session.id, { agent: { options: { apiKey: ['sk-nor-this-one'] } }, messages: [] })
    await killAndRestart()
    await attachSession(server.client(V3), session.id).turn('say back between us')
    expect(await server.stop()).toBe(0)
    expect(server.output).toContain('ready')
    expect(server.output).not.toMatch(/sk-no|between/)
  })

  it('and one that is stopped with SIGTERM ends with exit code 0', async () => {
    const session = await openSession(server.client(V3))
    await session.turn('say hi')
    expect(await server.stop()).toBe(0)
    server = await start()
    expect(await attachSession(server.client(V3), session.id).history()).toHaveLength(2)
  })
})
