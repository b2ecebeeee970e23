// What the console reads beside Blade: pages of the chat, the log, and what the doors make of it. Runs on every store.
import { BladeClient, SessionFold, type BladeOutput } from '@polylogue/blade/client'
import { createConsoleClient, createFetchTransport, type ConsoleClient } from '@polylogue/console/client'
import { createSseReader, type SseEvent } from '@polylogue/kit'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { openSseStream } from '../support/sse-stream.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'

let server: TestServer
let api: ConsoleClient
beforeAll(async () => {
  server = await startTestServer()
  api = createConsoleClient(createFetchTransport({ url: server.url, key: server.key }))
})
afterAll(() => server.stop())

/** A session in which these scripts ran. */
async function play(...scripts: readonly string[]): Promise<string> {
  const { sessionId } = await api.createSession({ body: { agent: 'scripted', preset: 'full-access' } })
  for (const text of scripts) {
    const stream = await open(`/aap/v3/sessions/${sessionId}/turns`, {
      stream: 'delta',
      messages: [{ role: 'user', content: text }],
    })
    await stream.finished()
  }
  return sessionId
}

interface Followed {
  readonly frames: readonly SseEvent[]
  until(fits: (frame: SseEvent) => boolean): Promise<void>
  cut(): void
}

/** Reads server-sent events in the background. */
async function follow(path: string): Promise<Followed> {
  const stop = new AbortController()
  const response = await fetch(`${server.url}${path}`, {
    headers: { authorization: `Bearer ${server.key}` },
    signal: stop.signal,
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const frames: SseEvent[] = []
  const reader = createSseReader()
  const read = async (): Promise<void> => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
      frames.push(...reader.push(chunk))
  }
  // It ends when it is cut.
  read().catch(() => undefined)
  return {
    frames,
    async until(fits) {
      await expect.poll(() => frames.some(fits), { timeout: 15_000 }).toBe(true)
    },
    cut: () => stop.abort(),
  }
}

const open = (path: string, body?: unknown) =>
  openSseStream({
    method: body === undefined ? 'GET' : 'POST',
    url: `${server.url}${path}`,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body,
  })

const textIn = (turn: unknown): string => {
  const { blocks } = turn as { readonly blocks: readonly { readonly type: string; readonly content: unknown }[] }
  return blocks.map(({ type, content }) => (type === 'text' ? String(content) : '')).join('')
}

describe('pages of the chat', () => {
  it('console 22: come from the end, with their place, run and door, and follow each other', async () => {
    const id = await play(...Array.from({ length: 6 }, (_, index) => `say Answer ${index}`))
    const tail = await api.readTurns({ id, query: { limit: 5 } })
    expect(tail).toMatchObject({ total: 12, last: tail.seq })
    expect(tail.rows.map(({ row, turn }) => [row, textIn(turn)])).toEqual([
      [7, 'Answer 3'],
      [8, 'say Answer 4'],
      [9, 'Answer 4'],
      [10, 'say Answer 5'],
      [11, 'Answer 5'],
    ])
    expect(tail.rows.every(({ run, via }) => run?.startsWith('run_') === true && via === 'aap/v3')).toBe(true)
    const earlier = await api.readTurns({ id, query: { limit: 5, before: 7 } })
    expect(earlier.rows.map(({ row }) => row)).toEqual([2, 3, 4, 5, 6])
    const wanted = earlier.rows[1]
    const around = await api.readTurns({ id, query: { limit: 4, of: wanted?.turn.turn_id ?? '' } })
    expect(around.rows.map(({ row }) => row)).toEqual([0, 1, 2, 3])
    expect(around.rows.at(-1)).toEqual(wanted)
  })

  it('console 23: hold the turn that is asked for, in a history that the session began with too', async () => {
    const messages = Array.from({ length: 30 }, (_, index) => [
      { role: 'user', content: `Question ${index}` },
      { role: 'assistant', content: `Answer ${index}` },
    ]).flat()
    const answer = await fetch(`${server.url}/aap/v3/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agent: { name: 'scripted' }, messages }),
    })
    const { sessionId: id } = (await answer.json()) as { sessionId: string }
    const first = await api.readTurns({ id, query: { limit: 10, before: 20 } })
    expect(first.rows.map(({ row }) => row)).toEqual(Array.from({ length: 10 }, (_, index) => index + 10))
    const wanted = first.rows[3]
    const page = await api.readTurns({ id, query: { limit: 10, of: wanted?.turn.turn_id ?? '' } })
    expect(page.rows).toEqual(first.rows)
    const missing = await api.readTurns({ id, query: { limit: 10, of: 'turn_none' } })
    expect(missing.rows.at(-1)?.row).toBe(59)
  })

  it('console 49: show the state at an event', async () => {
    const id = await play(script('say First', call('c1', 'echo', { msg: 'x' }), '---', 'say Second'), 'say Third')
    const { events } = await api.readEvents({ id, query: { limit: 1000 } })
    const texts: string[] = []
    for (const { seq } of events) {
      const { rows, seq: shown, last } = await api.readTurns({ id, query: { at: seq } })
      expect([shown, last]).toEqual([seq, events.length])
      texts.push(rows.map(({ turn }) => textIn(turn)).join('|'))
    }
    const changes = texts.filter((text, index) => text !== texts[index - 1]).map((text) => text.split('|').slice(1))
    expect(changes.slice(2)).toEqual([
      [''],
      ['First'],
      ['First', ''],
      ['First', 'Second'],
      ['First', 'Second', 'say Third'],
      ['First', 'Second', 'say Third', ''],
      ['First', 'Second', 'say Third', 'Third'],
    ])
  })

  it('console 46, 49: the cells of Blade fold to the chat, at each of 50 events', async () => {
    const step = (index: number) => script(`say Step ${index}`, call(`f${index}`, 'echo', { msg: `${index}` }))
    const id = await play(
      [0, 1, 2, 3, 4].map(step).join('\n---\n'),
      'say Then this',
      script('think Hm', 'say And that'),
    )
    const { rows: doors, last } = await api.readDoors({ id, query: { limit: 1000 } })
    expect(last).toBeGreaterThanOrEqual(30)
    for (let seq = 1; seq <= Math.min(last, 50); seq++) {
      const { rows: upTo } = await api.readDoors({ id, query: { after: seq - 1, limit: 1 } })
      const fold = new SessionFold(id, { usesSnapshots: false })
      for (const { shown } of [...doors.slice(0, seq - 1), ...upTo]) {
        for (const { name, body } of shown['blade'] ?? []) {
          fold.apply({ event: name, payload: body } as BladeOutput)
        }
      }
      const { rows } = await api.readTurns({ id, query: { at: seq, limit: 200 } })
      const turns = rows.map(({ turn }) => turn)
      expect([seq, fold.turns.map(({ turn_id }) => turn_id)]).toEqual([seq, turns.map(({ turn_id }) => turn_id)])
      // The text of an open step comes in live batches, which no event records before the step ends.
      const ended = turns.filter(({ status }) => status !== 'streaming')
      const folded = fold.turns.filter(({ status }) => status !== 'streaming')
      expect([seq, JSON.parse(JSON.stringify(folded))]).toEqual([seq, ended])
    }
  })

  it('console 42: are read by guests of a shared session, and by nobody else', async () => {
    const id = await play('say Hello')
    const key = await server.createKey('gina')
    const gina = createConsoleClient(createFetchTransport({ url: server.url, key }))
    await expect(gina.readTurns({ id })).rejects.toMatchObject({ status: 404 })
    await fetch(`${server.url}/api/sessions/${id}/sharing`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ shared: true }),
    })
    expect((await gina.readTurns({ id })).rows.map(({ turn }) => textIn(turn))).toEqual(['say Hello', 'Hello'])
  })
})

describe('the log', () => {
  it('is read backwards, and by type', async () => {
    const id = await play('say One', 'say Two', 'say Three')
    const { events: all } = await api.readEvents({ id, query: { limit: 1000 } })
    const seqs = (page: { readonly events: readonly { readonly seq: number }[] }) => page.events.map(({ seq }) => seq)
    const last = await api.readEvents({ id, query: { before: all.length + 1, limit: 4 } })
    expect(seqs(last)).toEqual(all.slice(-4).map(({ seq }) => seq))
    expect(last.next).toBe(all.length - 3)
    const first = await api.readEvents({ id, query: { before: 3, limit: 4 } })
    expect([seqs(first), first.next]).toEqual([[1, 2], undefined])
    const ended = all.filter(({ event }) => event.type === 'turn.ended').map(({ seq }) => seq)
    expect(ended).toHaveLength(3)
    const two = await api.readEvents({ id, query: { type: 'turn.ended', limit: 2 } })
    expect([seqs(two), two.next]).toEqual([ended.slice(0, 2), ended[1]])
    expect(seqs(await api.readEvents({ id, query: { type: 'turn.ended', after: two.next } }))).toEqual(ended.slice(2))
    const back = await api.readEvents({ id, query: { type: 'turn.ended', before: ended[2], limit: 1 } })
    expect([seqs(back), back.next]).toEqual([[ended[1]], ended[1]])
  })

  it('console 43: and its rows at the doors are followed, from any place on', async () => {
    const id = await play(script('say One', call('c1', 'echo', { msg: 'x' }), '---', 'say Two'))
    const { rows } = await api.readDoors({ id, query: { limit: 1000 } })
    const log = await follow(`/api/polylogue/sessions/${id}/events?follow=1&after=3`)
    const doors = await follow(`/api/polylogue/sessions/${id}/doors?follow=1`)
    await doors.until(({ event }) => event === 'caught-up')
    const latest = (frames: readonly SseEvent[]) =>
      new Map(
        frames.filter(({ event }) => event === 'row').map(({ id: seq, data }) => [seq, JSON.parse(data) as unknown]),
      )
    expect([...latest(doors.frames).values()]).toEqual(rows)
    const turn = await open(`/aap/v3/sessions/${id}/turns`, {
      stream: 'delta',
      messages: [{ role: 'user', content: 'say Three' }],
    })
    await turn.finished()
    const { last } = await api.readTurns({ id })
    await log.until(({ id: seq }) => seq === String(last))
    expect(log.frames.map(({ id: seq }) => Number(seq))).toEqual(Array.from({ length: last - 3 }, (_, at) => at + 4))
    await doors.until(({ id: seq }) => seq === String(last))
    expect([...latest(doors.frames).keys()]).toHaveLength(last)
    log.cut()
    doors.cut()
    const other = await server.createKey('otto')
    const refused = await fetch(`${server.url}/api/polylogue/sessions/${id}/doors?follow=1`, {
      headers: { authorization: `Bearer ${other}` },
    })
    expect(refused.status).toBe(404)
  })
})

describe('a message that waits', () => {
  it('console 10: is reworded in its place, and runs with its new words', async () => {
    const { sessionId: id } = await api.createSession({ body: { agent: 'scripted', preset: 'full-access' } })
    const client = new BladeClient(io, { url: server.url, token: server.key })
    await client.connect()
    await client.send(id, script(call('q1', 'Bash', { command: 'sleep 600' }), '---', 'say First.'))
    await client.send(id, 'say Second')
    await client.send(id, 'say Third')
    const { inputs } = await api.readQueue({ id })
    const [second] = inputs
    const changed = await api.changeInput({ id, input: second?.inputId ?? '', body: { text: 'say Rather this' } })
    expect(changed).toMatchObject({ inputId: second?.inputId, turnId: second?.turnId, text: 'say Rather this' })
    expect((await api.readQueue({ id })).inputs.map(({ text }) => text)).toEqual(['say Rather this', 'say Third'])
    // The call may not have been made yet.
    await expect.poll(async () => (await api.cancelCall({ id, call: 'q1' })).cancelled, { timeout: 15_000 }).toBe(true)
    await expect
      .poll(async () => (await api.readTurns({ id })).rows.map(({ turn }) => textIn(turn)), { timeout: 15_000 })
      .toEqual([expect.any(String), '', 'First.', 'say Rather this', 'Rather this', 'say Third', 'Third'])
    await expect(
      api.changeInput({ id, input: second?.inputId ?? '', body: { text: 'too late' } }),
    ).rejects.toMatchObject({ status: 404 })
    client.close()
  })
})

describe('permissions', () => {
  it('console 30, 53: rules are proposed for a call with their backtest, changed, arranged and put first', async () => {
    const id = await play(script(call('b1', 'Bash', { command: 'echo a.b' }), '---', 'say Done'))
    const { proposals } = await api.proposeRules({ body: { session: id, call: 'b1' } })
    expect(proposals.map(({ rule, totals }) => [rule, totals.allow])).toEqual([
      [{ tool: 'Bash', args: { command: '^echo a\\.b$' }, action: 'allow' }, 1],
    ])
    const one = await api.addRule({ body: { tool: 'Bash', action: 'ask' } })
    const two = await api.addRule({ body: { tool: 'Write', action: 'deny' } })
    const zero = await api.addRule({ body: { tool: 'Read', action: 'allow', first: true } })
    const ids = async () => (await api.listRules()).rules.map((rule) => rule.id)
    expect(await ids()).toEqual([zero.id, one.id, two.id])
    const { rules } = await api.arrangeRules({ body: { ids: [two.id, zero.id] } })
    expect(rules.map((rule) => rule.id)).toEqual([two.id, zero.id, one.id])
    const changed = await api.changeRule({ id: zero.id, body: { tool: 'Read', action: 'deny' } })
    expect(changed).toMatchObject({ id: zero.id, action: 'deny' })
    expect(await ids()).toEqual([two.id, zero.id, one.id])
    await expect(api.changeRule({ id: 'rule_none', body: { tool: 'x' } })).rejects.toMatchObject({ status: 404 })
    for (const { id: rule } of rules) await api.removeRule({ id: rule })
  })

  it('console 30: where a rule of the user asks, the proposed rule goes before it', async () => {
    const { sessionId: id } = await api.createSession({ body: { agent: 'scripted', preset: 'workspace-write' } })
    const run = async (callId: string): Promise<void> => {
      const stream = await open(`/aap/v3/sessions/${id}/turns`, {
        stream: 'delta',
        messages: [
          { role: 'user', content: script(call(callId, 'Write', { path: 'here', content: 'x' }), '---', 'say Done') },
        ],
      })
      await stream.finished()
    }
    const asking = await api.addRule({ body: { tool: 'Write', action: 'ask' } })
    await run('f1')
    const { proposals } = await api.proposeRules({ body: { session: id, call: 'f1' } })
    expect(proposals).toMatchObject([{ rule: { tool: 'Write', args: { path: '^here$' } }, first: true }])
    const [proposal] = proposals
    if (proposal === undefined) throw new Error('No rule was proposed.')
    const added = await api.addRule({ body: { ...proposal.rule, first: proposal.first } })
    expect((await api.listRules()).rules.map((rule) => rule.id)).toEqual([added.id, asking.id])
    await api.answerApproval({ id, call: 'f1', body: { granted: true } })
    await expect.poll(async () => (await api.readSession({ id, query: { messages: '0' } })).session.status).toBe('idle')
    // Behind the rule that asks it would change nothing.
    await run('f2')
    expect((await api.readWaiting({ id })).calls).toEqual([])
    for (const rule of [added, asking]) await api.removeRule({ id: rule.id })
  })

  it('console 29: permissions for a session are listed, and asked again after removal', async () => {
    const { sessionId: id } = await api.createSession({ body: { agent: 'scripted', preset: 'workspace-write' } })
    const ask = async (callId: string): Promise<'asked' | 'ran'> => {
      const text = script(call(callId, 'Bash', { command: 'uname -override' }), '---', 'say Done')
      const stream = await open(`/aap/v3/sessions/${id}/turns`, {
        stream: 'delta',
        messages: [{ role: 'user', content: text }],
      })
      await stream.finished()
      const [waiting] = (await api.readWaiting({ id })).calls
      const offer = waiting?.approval?.offers[0]?.id
      if (waiting === undefined || offer === undefined) return 'ran'
      await api.answerApproval({ id, call: waiting.toolCallId, body: { granted: true, offer } })
      await expect
        .poll(async () => (await api.readSession({ id, query: { messages: '0' } })).session.status)
        .toBe('idle')
      return 'asked'
    }
    expect(await ask('o1')).toBe('asked')
    expect((await api.readOverrides({ id })).overrides).toEqual([expect.stringMatching(/^Bash:call:/)])
    expect(await ask('o2')).toBe('ran')
    await api.dropOverrides({ id })
    expect((await api.readOverrides({ id })).overrides).toEqual([])
    expect(await ask('o3')).toBe('asked')
  })

  it('agents show what each mode decides about the calls of their tools, and their budgets', async () => {
    const { agents } = await api.listAgents()
    const bash = agents.find(({ name }) => name === 'scripted')?.tools.find(({ name }) => name === 'Bash')
    expect(bash?.verdicts).toEqual({
      'read-only': ['deny'],
      plan: ['allow', 'deny'],
      'workspace-write': ['allow', 'ask', 'deny'],
      'full-access': ['allow'],
    })
    const { budgets } = await api.listBudgets()
    expect(budgets.map(({ agent }) => agent)).toEqual(agents.map(({ name }) => name))
  })
})
