import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS, V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { call, fingerprint, script, shown } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { expectRefusal } from './refusals.ts'
import { idOf, listPages, listSessionIds } from './session-list.ts'

const UNKNOWN_ID = '0197f000-0000-7000-8000-000000000000'
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }
const MOST_SESSIONS = 400

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

/** Creates sessions for a new user until the list needs several pages. */
async function fillPages(user: string): Promise<{ readonly key: string; readonly ids: readonly string[] }> {
  const key = await server.createKey(user)
  const client = server.client(V3, key)
  const ids: string[] = []
  while (ids.length < MOST_SESSIONS) {
    const made = await Promise.all(Array.from({ length: 20 }, () => openSession(client)))
    ids.push(...made.map(({ id }) => id))
    if ((await client.list()).body.next !== undefined) break
  }
  const more = await Promise.all(Array.from({ length: ids.length + 3 }, () => openSession(client)))
  return { key, ids: [...ids, ...more.map(({ id }) => id)] }
}

describe.each(DIALECTS)('list, get and delete at $base', (dialect) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)
  const weather = dialect.tool('weather', 'Tells the weather', SCHEMA)

  it(`aap 32${mark}: following next visits every session exactly once, and the last page has no next`, async () => {
    const { key, ids } = await fillPages(`pager-${dialect.name}`)
    const pages = await listPages(server.client(dialect, key))
    expect(pages.length).toBeGreaterThanOrEqual(3)
    const visited = pages.flatMap(({ sessions }) => sessions.map(idOf))
    expect(visited.toSorted()).toEqual(ids.toSorted())
    for (const page of pages.slice(0, -1)) expect(page.next).toEqual(expect.stringMatching(/./))
    expect(pages.at(-1)).not.toHaveProperty('next')
  })

  it(`aap 33${mark}: an unreadable cursor gives 400`, async () => {
    await openSession(client())
    for (const after of ['not a cursor', '%%%', '../..', '{}', '\u0000', 'é'.repeat(40), 'A'.repeat(2000)]) {
      expectRefusal(await client().list(after), 400)
    }
  })

  it(`aap 34${mark}: sessions made while paging cause no repeats of older ones`, async () => {
    const { key, ids } = await fillPages(`visitor-${dialect.name}`)
    const visitor = server.client(dialect, key)
    const visited: string[] = []
    let after: string | undefined
    do {
      const { body } = await visitor.list(after)
      visited.push(...body.sessions.map(idOf))
      after = body.next
      await openSession(visitor)
    } while (after !== undefined && visited.length < 2 * MOST_SESSIONS)
    expect(new Set(visited).size).toBe(visited.length)
    expect(visited).toEqual(expect.arrayContaining([...ids]))
  })

  it(`aap 35${mark}: a session shows its id, its agent, its client tools if any${dialect === V3 ? ', and no history' : ''}`, async () => {
    const agent = { tools: [{ name: 'echo', trust: true }, { name: 'slow' }], options: { language: 'German' } }
    const session = await openSession(client(), { ...agent, clientTools: [weather] })
    await session.turn('say something for the history')
    const { history, ...shownInfo } = await session.read()
    expect(shownInfo).toEqual({
      sessionId: session.id,
      agent: {
        name: 'scripted',
        tools: [{ name: 'echo', trust: true }, expect.objectContaining({ name: 'slow' })],
        options: { language: 'German' },
      },
      tools: [weather],
    })
    expect(history === undefined).toBe(dialect === V3)

    const bare = await openSession(client())
    expect(await bare.read()).not.toHaveProperty('tools')
  })

  it(`aap 36${mark}: an unknown id gives 404 with {error}`, async () => {
    for (const id of [UNKNOWN_ID, 'no-such-session', '..', '%2e%2e', 'a'.repeat(300), '%00', "'%20or%201=1"]) {
      expectRefusal(await client().get(id), 404)
    }
  })

  it(`aap 37${mark}: secrets read *** in get and list, after creation and after a turn's override`, async () => {
    const session = await openSession(client(), { options: { apiKey: 'first-secret', language: 'Thai' } })
    const empty = await openSession(client(), { options: { apiKey: '' } })
    const look = async (): Promise<string> => {
      const [info, list] = await Promise.all([client().get(session.id), server.client(V3).list()])
      expect(info.body.agent.options).toEqual({ apiKey: '***', language: 'Thai' })
      const listed = list.body.sessions.find((item) => idOf(item) === session.id)
      expect(listed).toMatchObject({ agent: { options: { apiKey: '***', language: 'Thai' } } })
      const own = await client().list()
      return info.text + list.text + own.text
    }
    expect(await look()).not.toContain('first-secret')
    expect((await empty.read()).agent.options).toEqual({ apiKey: '***' })

    const answer = await session.turn('show options', { agent: { options: { apiKey: 'second-secret' } } })
    expect(shown(answer.messages)).toMatchObject({ apiKey: fingerprint('second-secret') })
    const after = await look()
    expect(after).not.toContain('first-secret')
    expect(after).not.toContain('second-secret')
  })

  it(`aap 38${mark}: secrets stay redacted when the agent is no longer offered`, async () => {
    const session = await openSession(client(), { options: { apiKey: 'left-behind', language: 'Latin' } })
    await server.restart({ scripted: false })
    const agents = (await client().meta()).body.agents.map(({ name }) => name)
    const info = await client().get(session.id)
    const [lists, newer] = [await listPages(client()), await server.client(V3).list()]
    await server.restart()

    expect(agents).not.toContain('scripted')
    expect(info.status).toBe(200)
    expect(info.body.agent).toEqual({ name: 'scripted', options: { apiKey: '***', language: 'Latin' } })
    expect(lists.flatMap(({ sessions }) => sessions.map(idOf))).toContain(session.id)
    expect(info.text + newer.text + JSON.stringify(lists)).not.toContain('left-behind')
    const again = attachSession(client(), session.id)
    expect(shown((await again.turn('show options')).messages)).toMatchObject({ apiKey: fingerprint('left-behind') })
  })

  it(`aap 39${mark}: options that the client did not set are not filled in`, async () => {
    const some = await openSession(client(), { options: { model: 'b', undeclared: 'dropped' } })
    expect((await some.read()).agent.options).toEqual({ model: 'b' })
    const none = await openSession(client())
    await none.turn('say hi')
    expect((await none.read()).agent.options ?? {}).toEqual({})
  })

  it(`aap 40${mark}: delete gives 204 with an empty body, and everything about the session is 404 afterwards`, async () => {
    const session = await openSession(client())
    await session.turn('say hi')
    const removed = await client().remove(session.id)
    expect(removed.status).toBe(204)
    expect(removed.text).toBe('')

    expectRefusal(await client().get(session.id), 404)
    expectRefusal(await client().send('GET', dialect.history(session.id, 'full')), 404)
    expectRefusal(await client().turn(session.id, { messages: [{ role: 'user', content: 'say hi' }] }), 404)
    expectRefusal(await client().remove(session.id), 404)
    expect(await listSessionIds(client())).not.toContain(session.id)
    expectRefusal(await client().remove(UNKNOWN_ID), 404)
  })

  it(`aap 41${mark}: delete during a turn ends its stream with turn_stop error, and nothing reappears`, async () => {
    const thinking = await openSession(client())
    const stream = await thinking.stream('delta', script('say so far', 'sleep 20000', 'say never said'))
    await stream.until(({ event }) => event === 'text_delta')
    expect((await client().remove(thinking.id)).status).toBe(204)
    const frames = await stream.finished()
    expect(frames.at(-1)?.data).toMatchObject({ event: 'turn_stop', stopReason: 'error' })
    expect(frames.filter(({ event }) => event === 'turn_stop')).toHaveLength(1)

    const working = await openSession(client(), { tools: [{ name: 'slow', trust: true }] })
    const answer = working.client.turn(working.id, {
      messages: [{ role: 'user', content: call('s1', 'slow', { ms: 20_000 }) }],
    })
    const watched = await server.client(V3).events(working.id, '?follow=1')
    await watched.until(({ event }) => event === 'tool_call')
    expect((await client().remove(working.id)).status).toBe(204)
    expect((await answer).body.stopReason).toBe('error')

    await server.restart()
    for (const { id } of [thinking, working]) {
      expectRefusal(await client().get(id), 404)
      expect(await listSessionIds(client())).not.toContain(id)
    }
  })
})

describe('the list at /aap/v3', () => {
  it('aap 31: items have the shape of GET /sessions/:id', async () => {
    const client = server.client(V3, await server.createKey('lister'))
    const weather = V3.tool('weather', 'Tells the weather', SCHEMA)
    const rich = await openSession(client, {
      tools: [{ name: 'echo', trust: true }],
      options: { apiKey: 'x', language: 'Greek' },
      clientTools: [weather],
    })
    const plain = await openSession(client)
    await plain.turn('say hi')
    const answer = await client.list()
    expect(answer.status).toBe(200)
    const items = new Map(answer.body.sessions.map((item) => [idOf(item), item]))
    expect([...items.keys()].toSorted()).toEqual([rich.id, plain.id].toSorted())
    for (const session of [rich, plain]) expect(items.get(session.id)).toEqual(await session.read())
  })
})
