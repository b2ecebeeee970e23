import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession, type AapSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { textOf } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'

const WINDOW = 2_000

let dir: string
let server: ServerProcess

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'polylogue-compaction-'))
  const agent = { name: 'small', instructions: 'Follow the script.', model: 'scripted', contextWindow: WINDOW }
  await writeFile(join(dir, 'polylogue.config.json'), JSON.stringify({ agents: [{ ...agent, tools: ['Glob'] }] }))
  server = await start()
})

afterAll(async () => {
  await server.stop()
  await rm(dir, { recursive: true })
})

const start = () => startServerProcess({ dataDir: join(dir, 'data'), startDir: dir })

interface LogEntry {
  readonly event: {
    readonly type: string
    readonly trigger?: string
    readonly outcome?: string
    readonly summary?: string
  }
}

async function compactionsOf(session: AapSession): Promise<readonly LogEntry['event'][]> {
  const { body } = await exchangeJson<{ readonly events: readonly LogEntry[] }>({
    method: 'GET',
    url: `${server.url}/api/polylogue/sessions/${session.id}/events?limit=1000`,
    headers: { authorization: `Bearer ${server.key}` },
  })
  return body.events.map(({ event }) => event).filter(({ type }) => type.startsWith('compaction.'))
}

const open = () => openSession(server.client(V3), { agent: 'small', tools: [{ name: 'Glob', trust: true }] })
const long = (word: string) => `say ${`${word} `.repeat(400)}`

describe('a session whose context fills the window of its model', () => {
  it('is compacted by itself; its history stays, also across a kill', async () => {
    let session = await open()
    for (const word of ['one', 'two', 'three', 'four', 'five', 'six']) await session.turn(long(word))
    const happened = await compactionsOf(session)
    expect(happened.slice(0, 2)).toMatchObject([
      { type: 'compaction.started', trigger: 'auto' },
      { type: 'compaction.ended', outcome: 'completed', summary: expect.stringMatching(/^Summary of \d+ messages\.$/) },
    ])
    const full = await session.history('full')
    expect(full.filter(({ role }) => role === 'user')).toHaveLength(6)
    const compacted = await session.history('compacted')
    expect(compacted.length).toBeLessThan(full.length)
    await server.kill()
    server = await start()
    session = attachSession(server.client(V3), session.id)
    expect(await session.history('compacted')).toEqual(compacted)
    expect(await session.history('full')).toEqual(full)
  })

  it('never gets more than its window, over any number of turns', async () => {
    const session = await open()
    let most = 0
    for (let turn = 0; turn < 30; turn++) {
      await session.turn(long(`word${turn}`))
      const tokens = textOf(await session.history('compacted')).length / 3.5
      most = Math.max(most, tokens)
    }
    expect(most).toBeLessThan(WINDOW * 1.5)
    expect((await compactionsOf(session)).filter(({ outcome }) => outcome === 'failed')).toEqual([])
  }, 60_000)

  it('keeps calls and results together in the middle of a long turn', async () => {
    const session = await open()
    const steps = Array.from({ length: 8 }, (_, index) => [
      long(`s${index}`),
      call(`c${index}`, 'Glob', { pattern: `*${index}` }),
    ])
    const answer = await session.turn(script(...steps.flatMap((lines) => [...lines, NEXT]), 'say done'))
    expect(answer.stopReason).toBe('end_turn')
    expect((await compactionsOf(session)).length).toBeGreaterThan(0)
  })
})

describe('a provider that says too long', () => {
  it('is asked again with a shorter context', async () => {
    const session = await open()
    await session.turn(long('one'))
    await session.turn('say two')
    const answer = await session.turn(script('overflow', 'say made it'))
    expect(answer).toMatchObject({ stopReason: 'end_turn' })
    expect(textOf(answer.messages)).toBe('made it')
    expect(await compactionsOf(session)).toMatchObject([{ trigger: 'forced' }, { outcome: 'completed' }])
  })
})

describe('a compaction on request', () => {
  const compact = (id: string) =>
    exchangeJson({
      method: 'POST',
      url: `${server.url}/api/polylogue/sessions/${id}/compact`,
      headers: { authorization: `Bearer ${server.key}` },
    })

  it('is done in the background; with nothing to do it is refused', async () => {
    const session = await open()
    expect(await compact(session.id)).toMatchObject({ status: 409 })
    await session.turn(long('one'))
    await session.turn('say two')
    expect(await compact(session.id)).toMatchObject({ status: 202 })
    const ended = async () => ((await compactionsOf(session)).length === 3 ? true : undefined)
    await eventually(ended, 'the compaction')
    expect(await compactionsOf(session)).toMatchObject([
      { type: 'compaction.requested' },
      { trigger: 'manual' },
      { outcome: 'completed' },
    ])
    expect(await compact(session.id)).toMatchObject({ status: 409 })
    expect(textOf((await session.turn('say three')).messages)).toBe('three')
  })
})
