import { calls, createFakeTool, finishes, says, startSession } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { ConversationMessage, EventStore } from '../index.ts'
import { streamHistory } from './stream-history.ts'

async function longSession(turns: number) {
  const test = await startSession({ tools: [createFakeTool('look')] })
  for (let turn = 0; turn < turns; turn++) {
    test.model.push(
      [says(`look ${turn}`), calls(`c${turn}`, 'look'), finishes('tool-calls')],
      [says('done'), finishes()],
    )
    await test.say(`go ${turn}`)
    await test.untilRest()
  }
  const events = await test.events()
  return { ...test, lastSeq: events.length }
}

/** Pages of five events, however many are asked for, and how many there were. */
function inPages(store: Pick<EventStore, 'readEvents'>) {
  const read = { pages: 0 }
  const readEvents: EventStore['readEvents'] = (sessionId, after, limit) => {
    read.pages++
    return store.readEvents(sessionId, after, Math.min(5, limit))
  }
  return { readEvents, read }
}

async function collect(messages: AsyncIterable<ConversationMessage>): Promise<readonly ConversationMessage[]> {
  const all: ConversationMessage[] = []
  for await (const message of messages) all.push(message)
  return all
}

describe('a history that is streamed', () => {
  it('is the same in pages of any size, and ends where it was when it was asked for', async () => {
    const { store, sessionId, lastSeq, engine, user, say, untilRest } = await longSession(4)
    const whole = await engine.readHistory(user, sessionId, 'full')
    expect(whole).toHaveLength(16)
    const { readEvents } = inPages(store)
    const streamed = streamHistory({ readEvents }, sessionId, lastSeq)
    const { value: first } = await streamed.next()
    await say('one more')
    await untilRest()
    expect([first, ...(await collect(streamed))]).toEqual(whole)
  })

  it('reads a page only after the messages of the previous one are taken', async () => {
    const { store, sessionId, lastSeq } = await longSession(4)
    const { readEvents, read } = inPages(store)
    const streamed = streamHistory({ readEvents }, sessionId, lastSeq)
    await streamed.next()
    const before = read.pages
    expect(before).toBeLessThan(3)
    await collect(streamed)
    expect(read.pages).toBe(Math.ceil(lastSeq / 5))
  })

  it('is never shortened when the session is deleted meanwhile', async () => {
    const { store, sessionId, lastSeq } = await longSession(4)
    const { readEvents } = inPages(store)
    const streamed = streamHistory({ readEvents }, sessionId, lastSeq)
    await streamed.next()
    await store.deleteSession(sessionId)
    await expect(collect(streamed)).rejects.toMatchObject({ code: 'session-not-found' })
  })
})
