import { describe, expect, it } from 'vitest'
import {
  createFakeClock,
  createMemoryEventStore,
  finishes,
  hangs,
  says,
  startSession,
  thinks,
  untilQuiet,
} from '@polylogue/testkit'
import type { Draft, EventStore } from '../index.ts'

/** A session whose model says a word whenever it is told to, on a store that counts the drafts it is asked to save. */
async function startTalking() {
  const clock = createFakeClock()
  const inner = createMemoryEventStore({ clock })
  const saves: (readonly Draft[])[] = []
  const store: EventStore = {
    ...inner,
    saveDrafts: (sessionId, fence, drafts) => (saves.push(drafts), inner.saveDrafts(sessionId, fence, drafts)),
  }
  const test = await startSession({ store, clock })
  const words = Array.from({ length: 40 }, () => Promise.withResolvers<void>())
  test.model.push([...words.flatMap((word, index) => [() => word.promise, says(`${index} `)]), finishes()])
  await test.say('go')
  let said = 0
  const sayWord = async () => {
    words[said++]?.resolve()
    await untilQuiet()
  }
  const advance = async (ms: number) => {
    clock.advance(ms)
    await untilQuiet()
  }
  return { ...test, saves, sayWord, advance }
}

describe('the draft of a streaming step', () => {
  it('is saved at most once in 250 ms, at any rate of words', async () => {
    const test = await startTalking()
    for (let word = 0; word < 20; word++) {
      await test.sayWord()
      await test.advance(50)
    }
    expect(test.saves.length).toBe(4)
    expect(test.saves.at(-1)).toMatchObject([
      { block: 0, kind: 'text', text: expect.stringMatching(/^0 1 2 .*18 $|^0 1 2 .*19 $/) },
    ])
  })

  it('is saved 250 ms after the first word, not later, and not at all while nothing is said', async () => {
    const test = await startTalking()
    await test.sayWord()
    await test.advance(249)
    expect(test.saves.length).toBe(0)
    await test.advance(1)
    expect(test.saves.length).toBe(1)
    await test.advance(10_000)
    expect(test.saves.length).toBe(1)
    await test.sayWord()
    await test.advance(250)
    expect(test.saves.length).toBe(2)
  })

  it('is gone with the answer', async () => {
    const test = await startTalking()
    await test.sayWord()
    await test.advance(250)
    expect((await test.store.readDrafts(test.sessionId)).length).toBe(1)
    for (let word = 1; word < 40; word++) await test.sayWord()
    await test.untilRest()
    await test.advance(10_000)
    expect(await test.store.readDrafts(test.sessionId)).toEqual([])
    expect(test.saves.length).toBe(1)
  })

  it('is gone with a cancel', async () => {
    const test = await startTalking()
    await test.sayWord()
    await test.advance(250)
    await test.cancel()
    await test.untilRest()
    await test.advance(10_000)
    expect(await test.store.readDrafts(test.sessionId)).toEqual([])
  })

  it('has one row for each block, and rewrites only those that grew', async () => {
    const clock = createFakeClock()
    const inner = createMemoryEventStore({ clock })
    const saves: (readonly Draft[])[] = []
    const store: EventStore = {
      ...inner,
      saveDrafts: (sessionId, fence, drafts) => (saves.push(drafts), inner.saveDrafts(sessionId, fence, drafts)),
    }
    const test = await startSession({ store, clock })
    const more = Promise.withResolvers<void>()
    test.model.push([thinks('hm'), says('a'), () => more.promise, says('b'), hangs])
    await test.say('go')
    await untilQuiet()
    clock.advance(250)
    await untilQuiet()
    more.resolve()
    await untilQuiet()
    clock.advance(250)
    await untilQuiet()
    expect(saves.map((drafts) => drafts.map(({ block, kind, text }) => [block, kind, text]))).toEqual([
      [
        [0, 'thinking', 'hm'],
        [1, 'text', 'a'],
      ],
      [[1, 'text', 'ab']],
    ])
  })
})
