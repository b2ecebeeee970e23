import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession, type AapSession } from '../support/aap-session.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { pendingCalls, textOf } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'

const scripted = { instructions: 'Follow the script.', model: 'scripted', tools: ['Glob', 'Agent'] }
const CONFIG = {
  agents: [
    { ...scripted, name: 'thrifty', budgets: { turn: { steps: 2 } } },
    { ...scripted, name: 'strict', budgets: { session: { tokens: 50, whenSpent: 'stop' } } },
    { ...scripted, name: 'small', contextWindow: 2_000 },
    { name: 'unpriced', instructions: 'Be brief.', model: 'demo' },
  ],
  prices: { 'polylogue/script*': { input: 2, output: 10 } },
}

let dir: string
let server: ServerProcess

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'polylogue-cost-'))
  await writeFile(join(dir, 'polylogue.config.json'), JSON.stringify(CONFIG))
  server = await start()
})

afterAll(async () => {
  await server.stop()
  await rm(dir, { recursive: true })
})

const start = () => startServerProcess({ dataDir: join(dir, 'data'), startDir: dir })
const open = (agent: string) =>
  openSession(server.client(V3), { agent, tools: ['Glob', 'Agent'].map((name) => ({ name, trust: true })) })
const look = (id: string) => call(id, 'Glob', { pattern: `*${id}` })
const looks = (...ids: string[]) => script(...ids.flatMap((id) => [look(id), NEXT]), 'say done')
const answerTo = (toolCallId: string, content: string) => [{ role: 'tool' as const, toolCallId, content }]

async function restart(): Promise<void> {
  await server.kill()
  server = await start()
}

const get = async <Body>(path: string, key = server.key): Promise<Body> => {
  const headers = { authorization: `Bearer ${key}` }
  return (await exchangeJson<Body>({ method: 'GET', url: `${server.url}/api/polylogue${path}`, headers })).body
}

interface Amounts {
  readonly calls: number
  readonly untoldCalls: number
  readonly unpricedCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: Readonly<Record<string, number>>
}
interface Usage {
  readonly rows: readonly (Amounts & {
    readonly subAgents?: readonly string[]
    readonly turn?: string
    readonly withSubAgents?: Amounts
  })[]
  readonly total?: Amounts
}
const usageOf = (session: AapSession, by: string) => get<Usage>(`/usage?session=${session.id}&by=${by}`)

interface Logged {
  readonly event: {
    readonly type: string
    readonly by?: string
    readonly usage?: {
      readonly inputTokens: number
      readonly outputTokens: number
      readonly cost?: { readonly nano: number }
    }
  }
}

async function eventsOf(session: AapSession): Promise<readonly Logged['event'][]> {
  const { events } = await get<{ readonly events: readonly Logged[] }>(`/sessions/${session.id}/events?limit=1000`)
  return events.map(({ event }) => event)
}

/** What the session's log says that its model calls took. */
async function loggedUsage(session: AapSession) {
  const calls = (await eventsOf(session)).flatMap(({ usage, by }) => (usage && by !== 'engine' ? [usage] : []))
  const add = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)
  return {
    calls: calls.length,
    inputTokens: add(calls.map(({ inputTokens }) => inputTokens)),
    outputTokens: add(calls.map(({ outputTokens }) => outputTokens)),
    cost: { USD: add(calls.map(({ cost }) => cost?.nano ?? 0)) / 1e9 },
  }
}

describe('a budget that is used up', () => {
  it('pauses the turn with a question that a client may answer after a kill, and continues', async () => {
    let session = await open('thrifty')
    const asked = await session.turn(looks('a', 'b', 'c', 'd'))
    expect(asked.stopReason).toBe('tool_use')
    await restart()
    session = attachSession(server.client(V3), session.id)
    const [question] = pendingCalls(await session.history())
    expect(question).toMatchObject({
      name: 'AskUserQuestion',
      input: {
        questions: [
          {
            question: 'This turn has used 2 model calls; the budget is 2 model calls. What shall happen?',
            options: [{ label: 'Go on' }, { label: 'Stop' }],
          },
        ],
      },
    })
    const again = await session.turn(answerTo(question?.toolCallId ?? '', 'Go on'))
    expect(again.stopReason).toBe('tool_use')
    await restart()
    session = attachSession(server.client(V3), session.id)
    const [second] = pendingCalls(await session.history())
    const done = await session.turn(answerTo(second?.toolCallId ?? '', 'Go on'))
    expect(done.stopReason).toBe('end_turn')
    expect(textOf(done.messages)).toBe('done')
    expect((await usageOf(session, 'turn')).total).toMatchObject({ calls: 5, untoldCalls: 0 })
  }, 60_000)

  it('ends the turn when the answer is Stop, with a sentence', async () => {
    const session = await open('thrifty')
    await session.turn(looks('a', 'b', 'c'))
    const [question] = pendingCalls(await session.history())
    const ended = await session.turn(answerTo(question?.toolCallId ?? '', 'Stop'))
    expect(ended).toMatchObject({ stopReason: 'error' })
    expect(JSON.stringify(ended)).toContain('This turn has used 2 model calls; the budget is 2 model calls.')
    expect(textOf((await session.turn('say fresh')).messages)).toBe('fresh')
  })

  it.each(['delta', 'message'] as const)('is asked about in a stream of mode %s too', async (mode) => {
    const session = await open('thrifty')
    const asked = await session.play(mode, looks('a', 'b', 'c'))
    expect(asked.stopReason).toBe('tool_use')
    expect(asked.calls.map(({ name }) => name)).toEqual(['Glob', 'Glob', 'AskUserQuestion'])
    const question = asked.calls.at(-1)?.toolCallId ?? ''
    const permission = { role: 'tool_permission' as const, toolCallId: question, granted: true }
    expect(await session.play(mode, [permission])).toMatchObject({ stopReason: 'end_turn', text: 'done' })
  })

  it('stops without a question when configured to stop', async () => {
    const session = await open('strict')
    expect(await session.turn('tokens 60')).toMatchObject({ stopReason: 'end_turn' })
    const refused = await session.turn('say more')
    expect(refused).toMatchObject({ stopReason: 'error' })
    expect(JSON.stringify(refused)).toMatch(/This session has used \d+ tokens; the budget is 50 tokens\./)
  })
})

describe('the usage of model calls', () => {
  it('is what the log says, with sub-agents and compactions, by turn, sub-agent and step', async () => {
    const session = await open('small')
    const long = (word: string) => `say ${`${word} `.repeat(400)}`
    for (const word of ['one', 'two', 'three', 'four']) await session.turn(long(word))
    const inner = script(call('deep', 'Agent', { description: 'deep', prompt: 'say deep' }), NEXT, 'say middle')
    await session.turn(script(call('a', 'Agent', { description: 'sub', prompt: inner }), look('b')))
    const logged = await loggedUsage(session)
    const byTurn = await usageOf(session, 'turn')
    expect(byTurn.total).toMatchObject({ ...logged, cost: { USD: expect.closeTo(logged.cost.USD, 9) as number } })
    expect(byTurn.rows).toHaveLength(5)
    const kinds = await get<{ readonly rows: readonly { readonly kind: string }[] }>(
      `/usage?session=${session.id}&by=kind`,
    )
    expect(new Set(kinds.rows.map(({ kind }) => kind))).toEqual(new Set(['step', 'compaction']))
    expect((await usageOf(session, 'step')).rows).toHaveLength(logged.calls)

    const loops = await usageOf(session, 'sub-agent')
    const loop = (path: string) => loops.rows.find(({ subAgents }) => subAgents?.join(' < ') === path)
    expect(loop('root')?.withSubAgents).toMatchObject({ calls: logged.calls, inputTokens: logged.inputTokens })
    expect(loop('loop_a < root')?.withSubAgents?.calls).toBe(3)
    expect(loop('loop_deep < loop_a < root')?.calls).toBe(1)
  }, 60_000)

  it('is counted once and not lost when the server is killed in the middle, again and again', async () => {
    const session = await open('small')
    const turn = session.turn(script(look('a'), NEXT, look('b'), NEXT, 'sleep 3000', look('c'), NEXT, 'say done'))
    const lost = turn.then(
      () => 'answered',
      () => 'lost',
    )
    for (let kills = 0; kills < 2; kills++) {
      // The third step is asked, once more after each kill, and its model is asleep.
      const asked = async () => (await eventsOf(session)).filter(({ type }) => type === 'step.started').length
      await expect.poll(asked, { timeout: 10_000 }).toBe(3 + kills)
      await restart()
    }
    expect(await lost).toBe('lost')
    const isOver = async () => (await eventsOf(session)).some(({ type }) => type === 'turn.ended')
    await expect.poll(isOver, { timeout: 20_000 }).toBe(true)
    const { total } = await usageOf(session, 'turn')
    const logged = await loggedUsage(session)
    expect(total).toMatchObject({ inputTokens: logged.inputTokens, outputTokens: logged.outputTokens })
    expect((total?.calls ?? 0) - (total?.untoldCalls ?? 0)).toBe(4)
    expect(total?.untoldCalls).toBe(2)
  }, 60_000)

  it('is shown to its user alone', async () => {
    const session = await open('small')
    await session.turn('say mine')
    const key = await server.createKey('eve')
    expect(await get<Usage>(`/usage?session=${session.id}`, key)).toEqual({ rows: [] })
    expect(await get<Usage>('/usage?user=local', key)).toEqual({ rows: [] })
    for (const by of ['colour', 'model,colour', 'model,key,user,session,turn']) {
      expect(await get(`/usage?by=${by}`)).toMatchObject({ error: expect.stringMatching(/^by: /) as string })
    }
  })

  it('names the key that asked', async () => {
    const key = await server.createKey('kay')
    const client = server.client(V3, key)
    const session = await openSession(client, { agent: 'small' })
    await session.turn('say hello')
    const { rows } = await get<{ readonly rows: readonly { readonly key?: string; readonly calls: number }[] }>(
      '/usage?by=key',
      key,
    )
    expect(rows).toMatchObject([{ key: expect.stringMatching(/^key_/) as string, calls: 1 }])
  })
})

describe('polylogue usage', () => {
  const run = (...args: string[]) =>
    runPolylogue(['usage', '--data', join(dir, 'data'), ...args], { cwd: dir, input: '' })

  it('prints a table in which an unknown price is a question mark, and says what it leaves out', async () => {
    const unpriced = await openSession(server.client(V3), { agent: 'unpriced' })
    await unpriced.turn('Hello')
    const { total } = await usageOf(unpriced, 'model')
    expect(total?.calls).toBeGreaterThan(0)
    expect(total).toMatchObject({ unpricedCalls: total?.calls, cost: {} })
    await (await open('small')).turn('say hello')
    const { code, stdout, stderr } = await run('--by', 'model', '--user', 'local')
    expect(code).toBe(0)
    const [heading, ...lines] = stdout.trimEnd().split('\n')
    expect(heading).toMatch(/^MODEL +CALLS +INPUT +CACHED +OUTPUT +COST$/)
    expect(lines.find((line) => line.startsWith('polylogue/scripted'))).toMatch(/ 0\.\d+ USD$/)
    expect(lines.find((line) => line.startsWith('polylogue/demo'))).toMatch(/ \?$/)
    expect(lines.at(-1)).toMatch(/^total .* USD \+ \?$/)
    expect(stderr).toContain('no known price')
  })

  it('prints JSON, and nothing but a sentence where there is nothing', async () => {
    const json = await run('--by', 'day,agent', '--json')
    const { rows } = JSON.parse(json.stdout) as { rows: readonly { day: string; agent: string }[] }
    expect(rows.find(({ agent }) => agent === 'small')?.day).toMatch(/^\d{4}-\d\d-\d\d$/)
    const none = await run('--until', '2020-01-01')
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No model was called.\n' })
  })
})
