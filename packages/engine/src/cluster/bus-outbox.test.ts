import { createFakeClock, untilQuiet } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { asEntryId, asLoopId, asSessionId, asTurnId } from '../ids.ts'
import type { BusMessage } from '../ports/live-bus.ts'
import { BusInbox } from './bus-codec.ts'
import { BusOutbox } from './bus-outbox.ts'

const sessionId = asSessionId('s')
const moved = (seq: number): BusMessage => ({ type: 'moved', sessionId, seq })
const said = (text: string): BusMessage => ({
  type: 'live',
  sessionId,
  live: {
    type: 'text.delta',
    turnId: asTurnId('t'),
    loopId: asLoopId('root'),
    stepId: asEntryId('e'),
    stepSeq: 3,
    block: 0,
    offset: 0,
    text,
    number: 1,
  },
})

function setUp(maxBytes = 7_500) {
  const clock = createFakeClock()
  const texts: { to: string; text: string }[] = []
  const outbox = new BusOutbox({
    clock,
    nodeId: 'me',
    maxBytes,
    deliver: async (to, text) => void texts.push({ to, text }),
  })
  return { clock, outbox, texts }
}

describe('the outbox of a node', () => {
  it('sends the first word at once, and gathers the next ones for 20 ms', async () => {
    const { clock, outbox, texts } = setUp()
    outbox.add('a', said('one'))
    await untilQuiet()
    expect(texts).toHaveLength(1)
    for (const word of ['two', 'three', 'four']) outbox.add('a', said(word))
    await untilQuiet()
    expect(texts).toHaveLength(1)
    clock.advance(20)
    await untilQuiet()
    expect(new BusInbox().open(texts[1]!.text)?.messages).toEqual([said('two'), said('three'), said('four')])
  })

  it('sends commands at once, with what waits', async () => {
    const { outbox, texts } = setUp()
    outbox.add('a', said('one'))
    await untilQuiet()
    outbox.add('a', said('two'))
    outbox.add('a', moved(4))
    await untilQuiet()
    expect(new BusInbox().open(texts[1]!.text)).toEqual({ from: 'me', messages: [said('two'), moved(4)] })
  })

  it('never makes a text longer than the transport takes, whatever the characters', async () => {
    const { clock, outbox, texts } = setUp(1_000)
    const long = ['"'.repeat(5_000), '字'.repeat(3_000), '😀'.repeat(3_000), '\u0000'.repeat(2_000), 'short']
    for (const text of long) outbox.add('a', said(text))
    await untilQuiet()
    clock.advance(20)
    await untilQuiet()
    for (const { text } of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_000)
    const inbox = new BusInbox()
    const arrived = texts.flatMap(({ text }) => inbox.open(text)?.messages ?? [])
    expect(arrived).toEqual(long.map(said))
  })

  it('drops live messages without a reader, and keeps commands', async () => {
    const clock = createFakeClock()
    const gate = Promise.withResolvers<void>()
    const texts: string[] = []
    const outbox = new BusOutbox({
      clock,
      nodeId: 'me',
      maxBytes: 1_000_000,
      deliver: async (_, text) => {
        texts.push(text)
        await gate.promise
      },
    })
    for (let index = 0; index < 200; index++) outbox.add('a', said('x'.repeat(100_000)))
    outbox.add('a', moved(9))
    gate.resolve()
    for (let round = 0; round < 100; round++) await untilQuiet()
    const arrived = texts.flatMap((text) => new BusInbox().open(text)?.messages ?? [])
    expect(arrived.length).toBeLessThan(60)
    expect(arrived.at(-1)).toEqual(moved(9))
  })
})

describe('a text from another node', () => {
  it('that is unknown is skipped, and its known parts are read', () => {
    const inbox = new BusInbox()
    for (const text of ['', 'x', '{}', '[2,"a",[]]', '[1,"a"]']) expect(inbox.open(text)).toBeUndefined()
    const text = JSON.stringify([1, 'a', [{ type: 'later' }, { type: 'moved' }, ['1', 5, 2, ''], moved(1), null]])
    expect(inbox.open(text)).toEqual({ from: 'a', messages: [moved(1)] })
  })
})
