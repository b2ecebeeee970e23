import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeClock,
  createFakeTool,
  createMemoryEventStore,
  createReaderLog,
  finishes,
  hangs,
  restart,
  says,
  startSession,
  thinks,
  untilQuiet,
  type FakeStep,
  type ReadItem,
  type ReaderLog,
  type TestSession,
} from '@polylogue/testkit'
import { EngineError, type Attachment, type Cursor, type EventStore, type Tool } from '../index.ts'

const codeOf = (error: unknown): unknown => (error instanceof EngineError ? error.code : error)

const attach = async (test: TestSession, cursor: Cursor = { seq: 0 }) => {
  const reader = createReaderLog(cursor)
  const attachment = await test.engine.attach(test.user, test.sessionId, { after: cursor, reader })
  return { ...reader, ...attachment }
}

/** A store whose appends wait until they are let through; everything else goes on. */
function createGatedStore() {
  const clock = createFakeClock()
  const inner = createMemoryEventStore({ clock })
  let gate: PromiseWithResolvers<void> | undefined
  const store: EventStore = { ...inner, append: async (request) => (await gate?.promise, inner.append(request)) }
  return {
    store,
    clock,
    hold: () => void (gate = Promise.withResolvers()),
    letGo: () => gate?.resolve(),
  }
}

describe('a reader', () => {
  it('gets the past and then what happens, in one order', async () => {
    const test = await startSession()
    await test.say('one')
    await test.untilRest()
    const reader = await attach(test)
    expect(reader.story()).toEqual([
      'session.created',
      'input.admitted',
      'turn.started',
      'step.started',
      'step.answered',
      'step.ended',
      'turn.ended',
    ])
    test.model.push([says('a'), says('b'), finishes()])
    await test.say('two')
    await test.untilRest()
    expect(reader.story().slice(7)).toEqual([
      'input.admitted',
      'turn.started',
      'step.started',
      '0.0 a',
      '0.1 b',
      'step.answered',
      'step.ended',
      'turn.ended',
    ])
    expect(reader.seqs()).toEqual(reader.seqs().map((_, index) => index + 1))
  })

  it('that comes in the middle of a step gets the text so far once, then the rest', async () => {
    const more = Promise.withResolvers<void>()
    const test = await startSession()
    test.model.push([thinks('hm'), says('one '), says('two '), () => more.promise, says('three'), finishes()])
    await test.say('go')
    await untilQuiet()
    const reader = await attach(test)
    expect(reader.story().slice(4)).toEqual(['0.0 hm', '1.0 one two '])
    more.resolve()
    await test.untilRest()
    expect(reader.story().slice(6)).toEqual(['1.8 three', 'step.answered', 'step.ended', 'turn.ended'])
  })

  it('that says how far it has come in a block gets only what follows', async () => {
    const test = await startSession()
    test.model.push([thinks('hm'), says('one two'), hangs])
    await test.say('go')
    await untilQuiet()
    expect((await attach(test, { seq: 4, block: 0, offset: 1 })).story()).toEqual(['0.1 m', '1.0 one two'])
    expect((await attach(test, { seq: 4, block: 1, offset: 4 })).story()).toEqual(['1.4 two'])
    expect((await attach(test, { seq: 4, block: 1, offset: 7 })).story()).toEqual([])
  })

  it('whose offset is beyond the text so far receives nothing twice', async () => {
    const more = Promise.withResolvers<void>()
    const test = await startSession()
    test.model.push([says('short'), () => more.promise, says('er'), finishes()])
    await test.say('go')
    await untilQuiet()
    const reader = await attach(test, { seq: 4, block: 0, offset: 500 })
    more.resolve()
    await test.untilRest()
    expect(reader.story()).toEqual(['0.5 er', 'step.answered', 'step.ended', 'turn.ended'])
  })

  it('keeps its place in the text when an event was recorded during the step', async () => {
    const test = await startSession()
    const more = Promise.withResolvers<void>()
    test.model.push([says('one '), () => more.promise, says('two'), hangs])
    await test.say('go')
    await untilQuiet()
    await test.say('later', { whenRunning: 'queue' })
    more.resolve()
    await untilQuiet()
    expect((await attach(test, { seq: 5, block: 0, offset: 4 })).story()).toEqual(['0.4 two'])
  })

  it('with a cursor from the future gets what comes next', async () => {
    const test = await startSession()
    const reader = await attach(test, { seq: 999 })
    await test.say('go')
    await test.untilRest()
    expect(reader.seqs()).toEqual([2, 3, 4, 5, 6, 7])
  })

  it('that comes while an append is in flight gets its events once, after it is stored', async () => {
    const { store, clock, hold, letGo } = createGatedStore()
    const test = await startSession({ store, clock })
    hold()
    const said = test.say('go')
    await untilQuiet()
    const reader = createReaderLog()
    const attaching = test.engine.attach(test.user, test.sessionId, { after: { seq: 0 }, reader })
    await untilQuiet()
    expect(reader.seqs().length).toBeLessThanOrEqual(1)
    letGo()
    await Promise.all([said, attaching])
    await test.untilRest()
    expect(reader.seqs()).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  it('that comes while the answer is being stored gets the answer and no delta after it', async () => {
    const { store, clock, hold, letGo } = createGatedStore()
    const test = await startSession({ store, clock })
    test.model.push([says('text'), () => hold(), finishes()])
    await test.say('go')
    await untilQuiet()
    const reader = createReaderLog()
    const attaching = test.engine.attach(test.user, test.sessionId, { after: { seq: 4 }, reader })
    await untilQuiet()
    letGo()
    await attaching
    await test.untilRest()
    expect(reader.story()).toEqual(['step.answered', 'step.ended', 'turn.ended'])
  })

  it('that comes while deltas wait behind an append gets their text once', async () => {
    const { store, clock, hold, letGo } = createGatedStore()
    const test = await startSession({ store, clock })
    const more = Promise.withResolvers<void>()
    test.model.push([says('one '), () => more.promise, says('two '), hangs])
    await test.say('go')
    await untilQuiet()
    hold()
    const queued = test.say('later', { whenRunning: 'queue' })
    await untilQuiet()
    more.resolve()
    const reader = createReaderLog({ seq: 4 })
    const attaching = test.engine.attach(test.user, test.sessionId, { after: { seq: 4 }, reader })
    await untilQuiet()
    letGo()
    await Promise.all([attaching, queued])
    await untilQuiet()
    expect(reader.story()).toEqual(['input.admitted', '0.0 one two '])
  })

  it('never meets a delta before an event that was recorded first', async () => {
    const { store, clock, hold, letGo } = createGatedStore()
    const test = await startSession({ store, clock })
    const reader = await attach(test)
    const more = Promise.withResolvers<void>()
    test.model.push([says('one'), () => more.promise, says('two'), finishes()])
    await test.say('go')
    await untilQuiet()
    hold()
    const queued = test.say('later', { whenRunning: 'queue' })
    await untilQuiet()
    more.resolve()
    await untilQuiet()
    expect(reader.story().at(-1)).toBe('0.0 one')
    letGo()
    await queued
    await untilQuiet()
    expect(reader.story().slice(4, 8)).toEqual(['0.0 one', 'input.admitted', '0.3 two', 'step.answered'])
  })

  it('is not called again after it detached, not even for the rest of an append', async () => {
    const test = await startSession()
    const seen: string[] = []
    const attachment = await test.engine.attach(test.user, test.sessionId, {
      after: { seq: 1 },
      reader: {
        recorded: ({ event }) => {
          seen.push(event.type)
          if (event.type === 'input.admitted') attachment.detach()
        },
        delta: () => seen.push('delta'),
        closed: () => seen.push('closed'),
      },
    })
    await test.say('go')
    await test.untilRest()
    attachment.detach()
    expect(seen).toEqual(['input.admitted'])
  })

  it('that leaves does not stop the turn, and finds its end when it comes back', async () => {
    const more = Promise.withResolvers<void>()
    const test = await startSession()
    test.model.push([says('one '), () => more.promise, says('two'), finishes()])
    await test.say('go')
    await untilQuiet()
    const reader = await attach(test)
    reader.detach()
    more.resolve()
    await untilQuiet()
    expect((await test.view()).lastOutcome).toBe('finished')
    expect((await attach(test, reader.cursor())).story()).toEqual(['step.answered', 'step.ended', 'turn.ended'])
  })

  it('is notified when its session is deleted, and gets nothing after that', async () => {
    const test = await startSession()
    test.model.push([says('a'), hangs])
    await test.say('go')
    await untilQuiet()
    const reader = await attach(test)
    await test.engine.execute({ type: 'delete-session', userId: test.user, sessionId: test.sessionId })
    await untilQuiet()
    expect(reader.story().slice(-2)).toEqual(['0.0 a', 'closed: deleted'])
  })

  it('is notified when the engine stops', async () => {
    const test = await startSession()
    const reader = await attach(test)
    await test.engine.stop(0)
    expect(reader.story()).toEqual(['session.created', 'closed: stopping'])
  })

  it('that is attaching when its session is deleted is refused or notified, never left waiting', async () => {
    for (let delay = 0; delay < 12; delay++) {
      const test = await startSession()
      const reader = createReaderLog()
      const attaching = test.engine
        .attach(test.user, test.sessionId, { after: { seq: 0 }, reader })
        .then(() => undefined, codeOf)
      for (let tick = 0; tick < delay; tick++) await Promise.resolve()
      await test.engine.execute({ type: 'delete-session', userId: test.user, sessionId: test.sessionId })
      expect(['closed: deleted', 'session-not-found'], `after ${delay} ticks`).toContain(
        (await attaching) ?? reader.story().at(-1),
      )
    }
  })

  it('that is attaching when the engine stops is refused or notified, never left waiting', async () => {
    for (let delay = 0; delay < 12; delay++) {
      const test = await startSession()
      const reader = createReaderLog()
      const attaching = test.engine
        .attach(test.user, test.sessionId, { after: { seq: 0 }, reader })
        .then(() => undefined, codeOf)
      for (let tick = 0; tick < delay; tick++) await Promise.resolve()
      await test.engine.stop(0)
      expect(['closed: stopping', 'shutting-down'], `after ${delay} ticks`).toContain(
        (await attaching) ?? reader.story().at(-1),
      )
    }
  })

  it('of a long log gets all of it, page by page, while more is recorded', async () => {
    const test = await startSession()
    for (let index = 0; index < 200; index++) {
      await test.say(`turn ${index}`)
      await test.untilRest()
    }
    const fresh = await restart(test)
    const reader = createReaderLog()
    const attaching = fresh.engine.attach(fresh.user, fresh.sessionId, { after: { seq: 0 }, reader })
    await fresh.say('meanwhile')
    await attaching
    await fresh.untilRest()
    const total = 1 + 201 * 6
    expect(reader.seqs()).toEqual(Array.from({ length: total }, (_, index) => index + 1))
  })

  it('that stops reading the past gets nothing more, and no live events', async () => {
    const test = await startSession()
    for (let turn = 0; turn < 40; turn++) {
      await test.say(`${turn}`)
      await test.untilRest()
    }
    const told: number[] = []
    await test.engine.attach(test.user, test.sessionId, {
      after: { seq: 0 },
      reader: {
        recorded: ({ seq }) => (told.push(seq) === 3 ? 'enough' : undefined),
        delta: () => undefined,
        closed: () => undefined,
      },
    })
    await test.say('more')
    await test.untilRest()
    expect(told).toEqual([1, 2, 3])
  })

  it('that resumes anywhere ends with the same events and text as one that stayed', async () => {
    const tools = [createFakeTool('t')]
    const script = [
      [
        thinks('why '),
        thinks('not'),
        says('I '),
        says('will'),
        calls('a', 't'),
        calls('b', 't'),
        says('!'),
        finishes('tool-calls'),
      ],
      [says('all '), says('done'), finishes()],
    ]
    const whole = await playWithCut(tools, script, Infinity)
    for (let cut = 0; cut < whole.items.length; cut++) {
      const { items } = await playWithCut(tools, script, cut)
      const seqs = items.flatMap((item) => (item.type === 'recorded' ? [item.recorded.seq] : []))
      expect(seqs, `cut after ${cut} items`).toEqual(whole.seqs())
      expect(textOfBlocks(items), `cut after ${cut} items`).toEqual(textOfBlocks(whole.items))
    }
  })
})

/** Plays a turn to a reader that leaves after `cut` items and comes back with the cursor it had then. */
async function playWithCut(tools: readonly Tool[], script: readonly FakeStep[], cut: number): Promise<ReaderLog> {
  const test = await startSession({ tools })
  test.model.push(...script)
  const reader = createReaderLog()
  const attachments: Attachment[] = []
  let isCut = false
  const leaveAtCut = (): void => {
    if (isCut || reader.items.length <= cut) return
    isCut = true
    for (const attachment of attachments) attachment.detach()
    void test.engine.attach(test.user, test.sessionId, { after: reader.cursor(), reader })
  }
  const first = await test.engine.attach(test.user, test.sessionId, {
    after: { seq: 0 },
    reader: {
      recorded: (item) => (reader.recorded(item), leaveAtCut()),
      delta: (item) => (reader.delta(item), leaveAtCut()),
      closed: reader.closed,
    },
  })
  if (isCut) first.detach()
  attachments.push(first)
  await test.say('go')
  await test.untilRest()
  await untilQuiet()
  return reader
}

/** Fails where a delta does not begin where the one before it ended; then the recorded answer is the text. */
function textOfBlocks(items: readonly ReadItem[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const item of items) {
    if (item.type === 'delta') {
      const { stepSeq, block, offset, text } = item.delta
      const key = `${stepSeq}.${block}`
      const before = texts[key] ?? ''
      if (offset !== before.length) throw new Error(`delta of ${key} begins at ${offset}, not at ${before.length}`)
      texts[key] = before + text
    } else if (item.type === 'recorded' && item.recorded.event.type === 'step.answered') {
      const stepSeq = item.recorded.seq - 1
      for (const [index, block] of item.recorded.event.blocks.entries()) {
        if (block.type === 'tool-call') continue
        const key = `${stepSeq}.${index}`
        if (!block.text.startsWith(texts[key] ?? '')) throw new Error(`the deltas of ${key} are not its text`)
        texts[key] = block.text
      }
    }
  }
  return texts
}
