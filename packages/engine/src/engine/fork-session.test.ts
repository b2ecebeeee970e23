import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeClock,
  createFakeTool,
  createMemoryEventStore,
  finishes,
  grant,
  hangs,
  plainParts,
  result,
  says,
  startSession,
  untilQuiet,
  useSession,
  type TestSession,
} from '@polylogue/testkit'
import {
  asEntryId,
  asSessionId,
  asToolCallId,
  asTurnId,
  type ForkSession,
  type NewBlob,
  type RecordedEvent,
  type SessionId,
  type WorkspaceOwner,
} from '../index.ts'

async function fork(test: TestSession, more: Partial<ForkSession> = {}): Promise<TestSession> {
  const command: ForkSession = { type: 'fork-session', userId: test.user, sessionId: test.sessionId, ...more }
  return useSession(test, (await test.engine.execute(command)).sessionId)
}

async function turn(test: TestSession, text: string, answer: string): Promise<string> {
  test.model.push([says(answer), finishes('stop')])
  const { turnId } = await test.say(text)
  await test.untilRest()
  return turnId
}

const spoken = async (test: TestSession): Promise<string> =>
  JSON.stringify(await test.engine.readHistory(test.user, test.sessionId, 'full'))

const withoutSettings = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  events.filter(({ type }) => !type.startsWith('session.'))

describe('a fork without directories', () => {
  it('is told the directory that its tools use, that of the oldest parent', async () => {
    const directoryOf = ({ sessionId, origin }: WorkspaceOwner) => `/own/${origin?.ancestors[0] ?? sessionId}`
    const locate = (owner: WorkspaceOwner) => ({ cwd: directoryOf(owner), roots: [directoryOf(owner)] })
    const workspaces = { locate, prepare: async (owner: WorkspaceOwner) => locate(owner) }
    const told: string[] = []
    const test = await startSession({
      workspaces: { ...workspaces, open: async () => undefined, remove: async () => {} },
      surroundings: { describe: async ({ workspace: { cwd } }) => void told.push(cwd) },
    })
    const child = await fork(await fork(test))
    await turn(child, 'go', 'done')
    expect(told).toEqual([`/own/${test.sessionId}`])
  })
})

describe('a fork of a large session', () => {
  it('copies an early part, and is refused in words beyond 16 MiB', async () => {
    const test = await startSession({ tools: [] })
    const early = await turn(test, 'small', 'one')
    for (let index = 0; index < 17; index += 1) await turn(test, `large ${index}`, 'x'.repeat(1024 * 1024))
    await expect(fork(test)).rejects.toThrow('a fork copies at most 16 MiB; choose an earlier turn')
    const child = await fork(test, { turnId: asTurnId(early) })
    expect(await spoken(child)).toContain('small')
    expect(await spoken(child)).not.toContain('large')
    const input = (await test.events()).find((event) => event.type === 'turn.started' && event.turnId !== early)
    const inputId = input?.type === 'turn.started' ? input.inputId : undefined
    const before = await fork(test, { beforeInput: inputId ?? asEntryId('none') })
    expect(await spoken(before)).not.toContain('large')
  })
})

it('a session has 500 forks at most, and room again when one is deleted', async () => {
  const test = await startSession()
  await turn(test, 'go', 'done')
  const first = await fork(test)
  for (let count = 1; count < 500; count++) await fork(test)
  await expect(fork(test)).rejects.toMatchObject({
    code: 'invalid-input',
    message: 'a session can have at most 500 forks; delete some',
  })
  await test.engine.execute({ type: 'delete-session', userId: test.user, sessionId: first.sessionId })
  await fork(test)
  expect((await test.view()).forks).toHaveLength(500)
})

describe('a fork', () => {
  it('starts with everything up to the end of a turn, and continues by itself', async () => {
    const test = await startSession({ tools: [createFakeTool('look')] })
    test.model.push([calls('c1', 'look'), finishes('tool-calls')], [says('seen'), finishes('stop')])
    const { turnId } = await test.say('look')
    await test.untilRest()
    const before = await test.events()
    await turn(test, 'second', 'two')

    const child = await fork(test, { turnId })
    expect(withoutSettings(await child.events())).toEqual(withoutSettings(before))
    await turn(child, 'other', 'three')
    expect(child.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    expect(await spoken(child)).not.toContain('second')
    expect(await spoken(test)).not.toContain('other')
  })

  it('starts with everything before an input, even before the first one', async () => {
    const test = await startSession()
    const turnId = await turn(test, 'first', 'one')
    const before = await test.events()
    await turn(test, 'second', 'two')
    const inputs = (await test.events()).flatMap((event) => (event.type === 'input.admitted' ? [event.inputId] : []))
    const [first, second] = inputs

    const child = await fork(test, { beforeInput: second })
    expect(withoutSettings(await child.events())).toEqual(withoutSettings(before))
    expect((await child.view()).origin).toEqual({ ancestors: [test.sessionId], turnId })
    const empty = await fork(test, { beforeInput: first })
    expect(withoutSettings(await empty.events())).toEqual([])
    expect((await empty.view()).origin).toEqual({ ancestors: [test.sessionId] })
    await turn(empty, 'another first', 'ok')
    expect(await spoken(empty)).not.toContain('one')
    expect((await test.view()).forks.map(({ sessionId }) => sessionId)).toEqual([child.sessionId, empty.sessionId])
  })

  it('is refused before an input that has not started', async () => {
    const test = await startSession()
    await turn(test, 'first', 'one')
    await expect(fork(test, { beforeInput: asEntryId('entry_none') })).rejects.toMatchObject({ field: 'beforeInput' })
  })

  it('and its parent name each other, until one is deleted', async () => {
    const test = await startSession()
    const turnId = await turn(test, 'hello', 'hi')
    const { updatedAt } = await test.view()
    test.clock.advance(1_000)
    const child = await fork(test)
    expect((await child.view()).origin).toEqual({ ancestors: [test.sessionId], turnId })
    expect((await test.view()).forks).toEqual([{ sessionId: child.sessionId, turnId }])
    expect((await test.view()).updatedAt).toBe(updatedAt)
    const listed = await test.engine.listSessions(test.user, { limit: 10 })
    expect(listed.sessions.map(({ sessionId, origin, forks }) => [sessionId, origin?.ancestors, forks.length])).toEqual(
      [
        [child.sessionId, [test.sessionId], 0],
        [test.sessionId, undefined, 1],
      ],
    )
    const grandchild = await fork(child)
    expect((await grandchild.view()).origin?.ancestors).toEqual([test.sessionId, child.sessionId])
    await test.engine.execute({ type: 'delete-session', userId: test.user, sessionId: child.sessionId })
    expect((await test.view()).forks).toEqual([])
    await turn(grandchild, 'still', 'here')
  })

  it.each([
    ['a turn that runs', async (test: TestSession) => void (test.model.push([hangs]), await test.say('now'))],
    [
      'inputs that wait',
      async (test: TestSession) => {
        test.model.push([hangs])
        await test.say('now')
        await test.say('later', { whenRunning: 'queue' })
      },
    ],
    [
      'a call that waits for an approval',
      async (test: TestSession) => {
        test.model.push([calls('c9', 'risky'), finishes('tool-calls')])
        await test.say('now')
        await test.untilRest()
      },
    ],
  ])('leaves out %s', async (_name, begin) => {
    const risky = createFakeTool('risky')
    const test = await startSession({ tools: [risky] }, { access: { type: 'listed', tools: [{ name: 'risky' }] } })
    await turn(test, 'first', 'one')
    await begin(test)
    const child = await fork(test)
    expect(await child.view()).toMatchObject({ status: 'idle', queued: 0, waitingCalls: [] })
    expect(await spoken(child)).toBe(
      JSON.stringify([
        { role: 'user', content: 'first' },
        { role: 'assistant', content: [{ type: 'text', text: 'one' }] },
      ]),
    )
    await turn(child, 'next', 'two')
    await test.cancel(true)
    await test.untilRest()
  })

  it('has the settings of its parent, but not its pin', async () => {
    const test = await startSession()
    await turn(test, 'a long story', 'one')
    await test.engine.execute({
      type: 'configure-session',
      userId: test.user,
      sessionId: test.sessionId,
      changes: { isPinned: true, isShared: true, labels: { 'door/note': 'x' }, preset: 'read-only' },
    })
    await test.engine.execute({
      type: 'configure-session',
      userId: test.user,
      sessionId: test.sessionId,
      changes: { planning: true },
    })
    const child = await fork(test)
    const second = await fork(test)
    expect(await child.view()).toMatchObject({
      title: 'a long story (fork)',
      isPinned: false,
      isShared: false,
      preset: 'plan',
      labels: { 'door/note': 'x' },
    })
    expect((await second.view()).title).toBe('a long story (fork 2)')
    await test.engine.execute({
      type: 'configure-session',
      userId: test.user,
      sessionId: child.sessionId,
      changes: { planning: false },
    })
    expect((await child.view()).preset).toBe('read-only')
    expect((await (await fork(child)).view()).title).toBe('a long story (fork)')
  })

  it('asks again for calls that its parent always allowed', async () => {
    const risky = createFakeTool('risky', { effect: 'unsafe' })
    const test = await startSession({ tools: [risky] }, { access: { type: 'preset' } })
    const ask = (id: string): void =>
      test.model.push([calls(id, 'risky'), finishes('tool-calls')], [says('ok'), finishes()])
    ask('c1')
    await test.say('go')
    await test.untilRest()
    await test.answer({ type: 'approval', toolCallId: asToolCallId('c1'), granted: true, scope: 'session' })
    await test.untilRest()
    ask('c2')
    await test.say('again')
    await test.untilRest()
    expect(await test.view()).toMatchObject({ status: 'idle' })
    const child = await fork(test)
    ask('c3')
    await child.say('again')
    await child.untilRest()
    expect(await child.view()).toMatchObject({ status: 'waiting', waitingCalls: ['c3'] })
  })

  it('keeps a compaction and what it replaced', async () => {
    const test = await startSession()
    for (const text of ['one', 'two', 'three']) await turn(test, text.repeat(500), text)
    test.model.push([says('summary of all'), finishes('stop')])
    await test.engine.execute({ type: 'compact-session', userId: test.user, sessionId: test.sessionId })
    await untilQuiet()
    const compacted = await test.engine.readHistory(test.user, test.sessionId, 'compacted')
    expect(JSON.stringify(compacted)).toContain('summary of all')
    const child = await fork(test)
    expect(await child.engine.readHistory(test.user, child.sessionId, 'compacted')).toEqual(compacted)
    expect(await spoken(child)).toBe(await spoken(test))
  })

  it('reads the images of its parent, also when that is deleted', async () => {
    const test = await startSession()
    const blob: NewBlob = { hash: 'h1', mediaType: 'image/png', bytes: new Uint8Array([1, 2, 3]) }
    test.model.push([says('nice'), finishes('stop')])
    await test.engine.execute({
      type: 'start-turn',
      userId: test.user,
      sessionId: test.sessionId,
      content: [{ type: 'image', source: { type: 'blob', hash: 'h1', mediaType: 'image/png' } }],
      whenRunning: 'refuse',
      blobs: [blob],
    })
    await test.untilRest()
    const child = await fork(test)
    await test.engine.execute({ type: 'delete-session', userId: test.user, sessionId: test.sessionId })
    expect((await test.engine.readBlob(test.user, child.sessionId, { hash: 'h1' }))?.bytes).toEqual(blob.bytes)
  })

  it('does not pay for what its parent spent', async () => {
    const store = createMemoryEventStore({ clock: createFakeClock() })
    const budgets = { currency: 'USD', budgetsOf: () => ({ session: { tokens: 100 } }) }
    const test = await startSession({ store, budgets })
    const took = { type: 'finished', finish: 'stop', usage: { inputTokens: 60, outputTokens: 0 } } as const
    test.model.push([says('one'), took])
    await test.say('go')
    await test.untilRest()
    const child = await fork(test)
    child.model.push([says('two'), took])
    await child.say('on')
    await child.untilRest()
    expect(await child.view()).toMatchObject({ status: 'idle', lastOutcome: 'finished' })
    const sums = await store.usage.sumUsage({ by: ['session'], limit: 10 })
    expect(new Map(sums.map((sum) => [sum.sessionId, sum.inputTokens]))).toEqual(
      new Map([
        [test.sessionId, 60],
        [child.sessionId, 60],
      ]),
    )
  })

  it('of a session in which nothing was said is empty', async () => {
    const test = await startSession()
    const child = await fork(test)
    expect(await child.types()).toEqual(['session.created'])
    await turn(child, 'first', 'one')
  })

  it('of a turn that does not exist or has not ended is refused', async () => {
    const test = await startSession()
    test.model.push([hangs])
    const { turnId } = await test.say('go')
    for (const id of [turnId, asTurnId('turn_none')])
      await expect(fork(test, { turnId: id })).rejects.toMatchObject({ code: 'invalid-input', field: 'turnId' })
    await expect(fork(test, { sessionId: asSessionId('none') })).rejects.toMatchObject({ code: 'session-not-found' })
    await test.cancel()
    await test.untilRest()
  })

  it('that cannot be stored is not named by its parent', async () => {
    const store = createMemoryEventStore({ clock: createFakeClock() })
    const test = await startSession({
      store: {
        ...store,
        append: async (request) =>
          request.create !== undefined && request.events.length > 1
            ? { type: 'conflict', reason: 'user-full' }
            : store.append(request),
      },
    })
    await turn(test, 'first', 'one')
    await expect(fork(test)).rejects.toMatchObject({ code: 'quota-exceeded' })
    expect((await test.view()).forks).toEqual([])
    expect((await test.engine.listSessions(test.user, { limit: 10 })).sessions).toHaveLength(1)
  })

  it('does not take a call of its parent for its own', async () => {
    const test = await startSession({}, { clientTools: [{ name: 'ask', description: '', parameters: {} }] })
    test.model.push([calls('c1', 'ask'), finishes('tool-calls')], [says('done'), finishes('stop')])
    await test.say('go')
    await test.untilRest()
    await test.answer(result('c1', 'yes'))
    await test.untilRest()
    const child = await fork(test)
    await expect(child.answer(grant('c1'))).rejects.toMatchObject({ code: 'call-already-settled' })
  })
})

describe('the files of forks', () => {
  it('stay until the last session that shares them is deleted', async () => {
    const removed: (readonly SessionId[])[] = []
    const workspaces = {
      ...plainParts.workspaces,
      remove: async (_id: SessionId, unused: readonly SessionId[]) => void removed.push(unused),
    }
    const test = await startSession({ workspaces })
    const child = await fork(test)
    const grandchild = await fork(child)
    for (const { sessionId } of [child, test, grandchild])
      await test.engine.execute({ type: 'delete-session', userId: test.user, sessionId })
    expect(removed).toEqual([[], [], [grandchild.sessionId, test.sessionId, child.sessionId]])
  })
})
