import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeClock,
  createFakeTool,
  createMemoryEventStore,
  createProcessStore,
  createReaderLog,
  finishes,
  grant,
  hangs,
  result,
  restart,
  startSession,
  untilQuiet,
  type TestSession,
} from '@polylogue/testkit'
import { asToolCallId, asUserId, type AnswerCalls, type IdempotencyKey, type SessionSearch } from '../index.ts'

const KEY: IdempotencyKey = { key: 'k', fingerprint: 'same' }

describe('an idempotency key', () => {
  it('that comes again answers as the first time and stores nothing', async () => {
    const test = await startSession()
    const first = await test.say('go', { idempotency: KEY })
    const meanwhile = await test.say('go', { idempotency: KEY })
    await test.untilRest()
    const before = await test.events()
    const after = await test.say('go', { idempotency: KEY })
    expect(first).toMatchObject({ repeated: false })
    for (const repeat of [meanwhile, after])
      expect(repeat).toMatchObject({ turnId: first.turnId, seq: first.seq, repeated: true })
    expect(await test.events()).toEqual(before)
    expect(test.model.requests.length).toBe(1)
  })

  it.each(['refuse', 'queue'] as const)('that comes twice at once makes one turn (%s)', async (whenRunning) => {
    const test = await startSession()
    const both = await Promise.all([
      test.say('go', { idempotency: KEY, whenRunning }),
      test.say('go', { idempotency: KEY, whenRunning }),
    ])
    await test.untilRest()
    expect(both.map(({ repeated }) => repeated).toSorted()).toEqual([false, true])
    expect(both[0].turnId).toBe(both[1].turnId)
    expect((await test.types()).filter((type) => type === 'input.admitted').length).toBe(1)
  })

  it('with another request is refused, also at the same time', async () => {
    const test = await startSession()
    const other = { key: 'k', fingerprint: 'other' }
    const [first, second] = await Promise.allSettled([
      test.say('go', { idempotency: KEY }),
      test.say('come', { idempotency: other }),
    ])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'receipt-mismatch' } })
    await expect(test.say('come', { idempotency: other })).rejects.toMatchObject({ code: 'receipt-mismatch' })
  })

  it('is of one session and user only', async () => {
    const test = await startSession()
    await test.say('go', { idempotency: KEY })
    const other = await test.engine.execute({
      type: 'create-session',
      userId: test.user,
      agent: 'tester',
      access: { type: 'preset' },
    })
    const said = await test.say('go', { idempotency: KEY, sessionId: other.sessionId })
    expect(said.repeated).toBe(false)
  })

  it('of a refused request is still free', async () => {
    const test = await startSession()
    test.model.push([hangs])
    await test.say('first')
    await expect(test.say('go', { idempotency: KEY })).rejects.toMatchObject({ code: 'session-busy' })
    await test.cancel()
    await test.untilRest()
    expect(await test.say('go', { idempotency: KEY })).toMatchObject({ repeated: false })
  })

  it('of an answer that comes again, even at once, counts once', async () => {
    const tool = createFakeTool('pay', { effect: 'unsafe' })
    const test = await startSession({ tools: [tool] }, { access: { type: 'listed', tools: [{ name: 'pay' }] } })
    test.model.push([calls('p', 'pay'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    const command: AnswerCalls = {
      type: 'answer-calls',
      userId: test.user,
      sessionId: test.sessionId,
      answers: [grant('p')],
      whenRunning: 'refuse',
      idempotency: KEY,
    }
    const both = await Promise.all([test.engine.execute(command), test.engine.execute(command)])
    await test.untilRest()
    const later = await test.engine.execute(command)
    expect([...both, later].map(({ repeated }) => repeated).toSorted()).toEqual([false, true, true])
    expect(tool.invocations.length).toBe(1)
  })

  it('of an input that still waits says that it waits, and of one whose turn has begun that it does not', async () => {
    const test = await startSession()
    test.model.push([hangs])
    await test.say('first')
    const first = await test.say('go', { idempotency: KEY, whenRunning: 'queue' })
    expect(await test.say('go', { idempotency: KEY, whenRunning: 'queue' })).toEqual({ ...first, repeated: true })
    expect(first.queued).toBe(true)
    await test.cancel()
    await test.untilRest()
    expect(await test.say('go', { idempotency: KEY, whenRunning: 'queue' })).toEqual({
      ...first,
      queued: false,
      repeated: true,
    })
    expect(test.model.requests.length).toBe(2)
  })

  it.each(['refuse', 'queue'] as const)(
    'of an input that was dropped before its turn admits it anew, and once (%s)',
    async (whenRunning) => {
      const test = await startSession()
      test.model.push([hangs])
      await test.say('first')
      const first = await test.say('go', { idempotency: KEY, whenRunning: 'queue' })
      await test.cancel(true)
      await test.untilRest()
      const again = { idempotency: KEY, whenRunning }
      const both = await Promise.all([test.say('go', again), test.say('go', again)])
      await test.untilRest()
      const later = await test.say('go', again)
      expect([...both, later].map(({ repeated }) => repeated).toSorted()).toEqual([false, true, true])
      expect(new Set([...both, later].map(({ turnId }) => turnId)).size).toBe(1)
      expect(later.turnId).not.toBe(first.turnId)
      expect((await test.types()).filter((type) => type === 'turn.started').length).toBe(2)
      const other = { ...again, idempotency: { ...KEY, fingerprint: 'other' } }
      await expect(test.say('come', other)).rejects.toMatchObject({ code: 'receipt-mismatch' })
    },
  )

  it('is known after a crash that came before the answer', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const process = createProcessStore(store)
    const first = await startSession({ store: process, clock })
    process.dieAfterWrites(1)
    void first.say('go', { idempotency: KEY })
    await untilQuiet()
    const second = await restart(first, { store })
    expect(await second.say('go', { idempotency: KEY })).toMatchObject({ repeated: true, seq: 3 })
    await second.untilRest()
    expect((await second.types()).filter((type) => type === 'turn.started').length).toBe(1)
  })
})

describe('another user', () => {
  it('finds no session for anything it asks', async () => {
    const test = await startSession()
    await test.say('go')
    await test.untilRest()
    const bob = asUserId('bob')
    const { engine, sessionId } = test
    const ids = { userId: bob, sessionId }
    const attempts = [
      engine.execute({ type: 'start-turn', ...ids, content: 'x', whenRunning: 'queue' }),
      engine.execute({ type: 'answer-calls', ...ids, answers: [result('a', 'x')], whenRunning: 'accept' }),
      engine.execute({ type: 'cancel-turn', ...ids, reason: 'x', dropQueue: true }),
      engine.execute({ type: 'delete-session', ...ids }),
      engine.readSession(bob, sessionId),
      engine.readHistory(bob, sessionId, 'full'),
      engine.readHistory(bob, sessionId, 'compacted'),
      engine.readBlob(bob, sessionId, { hash: 'hash' }),
      engine.attach(bob, sessionId, { after: { seq: 0 }, reader: createReaderLog() }),
    ]
    for (const attempt of attempts)
      await expect(attempt).rejects.toMatchObject({ code: 'session-not-found', message: 'there is no such session' })
    expect((await engine.listSessions(bob, { limit: 10 })).sessions).toEqual([])
    expect((await test.view()).status).toBe('idle')
  })

  it('cannot repeat a request by its key', async () => {
    const test = await startSession()
    await test.say('go', { idempotency: KEY })
    await expect(test.say('go', { idempotency: KEY, userId: asUserId('bob') })).rejects.toMatchObject({
      code: 'session-not-found',
    })
  })
})

describe('the sessions of a user', () => {
  it('are listed newest first, page by page, as they are now', async () => {
    const test = await startSession()
    const ids = [test.sessionId]
    for (let index = 0; index < 4; index++) {
      const { sessionId } = await test.engine.execute({
        type: 'create-session',
        userId: test.user,
        agent: 'tester',
        access: { type: 'preset' },
      })
      ids.unshift(sessionId)
    }
    await test.say('the first one')
    await test.untilRest()
    const first = await test.engine.listSessions(test.user, { limit: 3 })
    expect(first.sessions.map(({ sessionId }) => sessionId)).toEqual(ids.slice(0, 3))
    const { next } = first
    if (next === undefined) throw new Error('there is a second page')
    const second = await test.engine.listSessions(test.user, { before: next, limit: 3 })
    expect(second.next).toBeUndefined()
    expect(second.sessions.at(-1)).toMatchObject({
      sessionId: test.sessionId,
      title: 'the first one',
      status: 'idle',
      lastOutcome: 'finished',
    })
  })

  it('show in the list what reading one shows, in every state', async () => {
    const test = await startSession(
      { tools: [createFakeTool('pay', { effect: 'unsafe' })] },
      { access: { type: 'listed', tools: [{ name: 'pay' }] } },
    )
    const isSame = async () => {
      const [listed] = (await test.engine.listSessions(test.user, { limit: 1 })).sessions
      const { lastSeq: _seq, updatedAt: _at, ...view } = await test.view()
      expect(listed).toMatchObject(view)
    }
    await isSame()
    test.model.push([calls('p', 'pay'), finishes('tool-calls')], [hangs])
    await test.say('go')
    await test.untilRest()
    await isSame()
    await test.answer(grant('p'))
    await untilQuiet()
    await isSame()
    await test.cancel()
    await test.untilRest()
    await isSame()
  })
})

describe('an image', () => {
  it('is stored with its message and read back by its hash', async () => {
    const bytes = new Uint8Array([1, 2, 3])
    const test = await startSession()
    await test.engine.execute({
      type: 'start-turn',
      userId: test.user,
      sessionId: test.sessionId,
      content: [{ type: 'image', source: { type: 'blob', hash: 'h', mediaType: 'image/png' } }],
      whenRunning: 'refuse',
      blobs: [{ hash: 'h', mediaType: 'image/png', bytes }],
    })
    await test.untilRest()
    expect(await test.engine.readBlob(test.user, test.sessionId, { hash: 'h' })).toEqual({
      mediaType: 'image/png',
      bytes,
    })
    expect(await test.engine.readBlob(test.user, test.sessionId, { hash: 'other' })).toBeUndefined()
    expect(await test.model.requests[0]?.readBlob('h')).toEqual(bytes)
    await expect(test.model.requests[0]?.readBlob('other')).rejects.toThrow('missing')
  })
})

describe('an unknown', () => {
  it('agent, session or call is refused by its name', async () => {
    const test = await startSession()
    await expect(
      test.engine.execute({ type: 'create-session', userId: test.user, agent: 'nobody', access: { type: 'preset' } }),
    ).rejects.toMatchObject({ code: 'agent-not-found' })
    await expect(test.answer({ type: 'result', toolCallId: asToolCallId('x'), content: '' })).rejects.toMatchObject({
      code: 'unknown-tool-call',
    })
  })
})

describe('a session that its owner shares', () => {
  const guest = asUserId('guest')
  const share = (test: TestSession, isShared: boolean) =>
    test.engine.execute({
      type: 'configure-session',
      userId: test.user,
      sessionId: test.sessionId,
      changes: { isShared },
    })
  const refusal = expect.objectContaining({ code: 'session-not-found' })

  it('may be read by guests, and changed only by its owner', async () => {
    const test = await startSession()
    const { engine, sessionId } = test
    await expect(engine.readSession(guest, sessionId, 'guest')).rejects.toEqual(refusal)
    await share(test, true)
    expect(await engine.readSession(guest, sessionId, 'guest')).toMatchObject({ sessionId, isShared: true })
    const reader = createReaderLog()
    const attachment = await engine.attach(guest, sessionId, { after: { seq: 0 }, reader, as: 'guest' })
    expect(reader.story()).toContain('session.created')
    attachment.detach()
    await expect(engine.readSession(guest, sessionId)).rejects.toEqual(refusal)
    await expect(
      engine.execute({ type: 'start-turn', userId: guest, sessionId, content: 'x', whenRunning: 'queue' }),
    ).rejects.toEqual(refusal)
    await share(test, false)
    await expect(engine.readSession(guest, sessionId, 'guest')).rejects.toEqual(refusal)
  })
})

describe('a title', () => {
  it('that is taken away is gone from the list too, and the next message gives another', async () => {
    const test = await startSession({}, { title: 'Roof' })
    const name = async (title: string) =>
      test.engine.execute({
        type: 'configure-session',
        userId: test.user,
        sessionId: test.sessionId,
        changes: { title },
      })
    await name('')
    const listed = async () => (await test.engine.listSessions(test.user, { limit: 1 })).sessions[0]
    expect(await listed()).not.toHaveProperty('title')
    const { length } = await test.events()
    await name('')
    expect(await test.events()).toHaveLength(length)
    await test.say('the floor')
    await test.untilRest()
    expect(await listed()).toMatchObject({ title: 'the floor' })
  })
})

describe('finding sessions', () => {
  it('goes by directory, text, and whether something was said', async () => {
    const test = await startSession({}, { directories: ['/work'], title: 'Roof' })
    const found = async (search: Partial<SessionSearch>) =>
      (await test.engine.findSessions(test.user, { offset: 0, limit: 10, ...search })).total
    expect(await found({ directory: '/work', text: 'roof' })).toBe(1)
    expect(await found({ directory: '/' })).toBe(0)
    expect(await found({ isStarted: true })).toBe(0)
    await test.say('x')
    await test.untilRest()
    expect(await found({ isStarted: true })).toBe(1)
    expect(await test.view()).toMatchObject({ title: 'Roof', directories: ['/work'] })
  })
})
