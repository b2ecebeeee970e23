import { describe, expect, it } from 'vitest'
import {
  createFakeClock,
  createReaderLog,
  finishes,
  restart,
  says,
  startSession,
  thinks,
  untilQuiet,
  type FakeStep,
  type TestSession,
} from '@polylogue/testkit'
import type { LiveBatch } from '../index.ts'

/** A reader of batches: what it was told, in order. */
async function watch(test: TestSession) {
  const log = createReaderLog()
  const story: string[] = []
  const batches: LiveBatch[] = []
  const attachment = await test.engine.attach(test.user, test.sessionId, {
    after: { seq: 0 },
    reader: {
      ...log,
      recorded: ({ event }) => void story.push(event.type),
      delta: ({ text }) => void story.push(`so far: ${text}`),
      batch(batch) {
        batches.push(batch)
        story.push(`${batch.number}: ${batch.text}`)
      },
    },
  })
  return { story, batches, ...attachment }
}

/** A step that goes on when told. */
function gatedStep(...parts: readonly FakeStep[]): { step: FakeStep; next: () => void } {
  const gates = parts.map(() => Promise.withResolvers<void>())
  let open = 0
  const step = parts.flatMap((part, index) => [...part, () => gates[index]?.promise])
  return { step: [...step, finishes()], next: () => gates[open++]?.resolve() }
}

describe('live batches', () => {
  it('come at once, then together after at most 50 ms, and all before the answer', async () => {
    const clock = createFakeClock()
    const test = await startSession({ clock })
    const { step, next } = gatedStep([says('a'), says('b'), says('c')], [says('d')])
    test.model.push(step)
    const reader = await watch(test)
    await test.say('go')
    await untilQuiet()
    expect(reader.story.slice(-2)).toEqual(['step.started', '1: a'])
    clock.advance(50)
    expect(reader.story.at(-1)).toBe('2: bc')
    next()
    await untilQuiet()
    next()
    await test.untilRest()
    expect(reader.story.slice(-4)).toEqual(['3: d', 'step.answered', 'step.ended', 'turn.ended'])
    expect((await test.events()).find(({ type }) => type === 'step.answered')).toMatchObject({ liveBatches: 3 })
  })

  it('are counted over turns, and never mix blocks', async () => {
    const test = await startSession()
    const reader = await watch(test)
    test.model.push([thinks('hm'), thinks('m'), says('a'), says('b'), finishes()], [says('c'), finishes()])
    await test.say('one')
    await test.untilRest()
    await test.say('two')
    await test.untilRest()
    expect(reader.batches.map(({ number, block, offset, text }) => [number, block, offset, text])).toEqual([
      [1, 0, 0, 'hm'],
      [2, 0, 2, 'm'],
      [3, 1, 0, 'ab'],
      [4, 0, 0, 'c'],
    ])
  })

  it('are the same for late readers, after the text so far', async () => {
    const clock = createFakeClock()
    const test = await startSession({ clock })
    const { step, next } = gatedStep([says('a'), says('b')], [says('c')])
    test.model.push(step)
    const early = await watch(test)
    await test.say('go')
    await untilQuiet()
    const late = await watch(test)
    expect(early.story.at(-1)).toBe('2: b')
    expect(late.story.at(-1)).toBe('so far: ab')
    next()
    await untilQuiet()
    next()
    await test.untilRest()
    expect(late.batches).toEqual(early.batches.slice(2))
  })

  it('wait for a durable number when batches were not requested at the start of the step', async () => {
    const clock = createFakeClock()
    const test = await startSession({ clock })
    const { step, next } = gatedStep([says('a')], [says('b')])
    test.model.push(step)
    await test.say('go')
    await untilQuiet()
    const late = await watch(test)
    next()
    await untilQuiet()
    expect(late.batches).toEqual([])
    clock.advance(250)
    await untilQuiet()
    clock.advance(50)
    expect(late.batches.map(({ number, text }) => [number, text])).toEqual([[1, 'b']])
    next()
    await test.untilRest()
  })

  it('cost nothing without a reader', async () => {
    const test = await startSession()
    await test.say('go')
    await test.untilRest()
    const [started] = (await test.events()).filter(({ type }) => type === 'step.started')
    expect(started).not.toHaveProperty('reservedBatches')
  })

  it('continue after a crash beyond every number that may have been used', async () => {
    const clock = createFakeClock()
    const first = await startSession({ clock })
    const { step } = gatedStep([says('a')], [says('b')])
    first.model.push(step)
    const before = await watch(first)
    await first.say('go')
    await untilQuiet()
    expect(before.batches).toHaveLength(1)
    const second = await restart(first)
    const after = await watch(second)
    await second.untilRest()
    await second.say('again')
    await second.untilRest()
    const [next] = after.batches
    expect(next?.number).toBeGreaterThan(64)
    const numbers = after.batches.map(({ number }) => number)
    expect(new Set(numbers).size).toBe(numbers.length)
  })
})
