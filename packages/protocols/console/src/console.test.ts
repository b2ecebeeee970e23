import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConsoleRefusal, operations } from './client/index.ts'
import { ownerOperations } from './contract/import-session.ts'
import { describeOperations } from './describe-operations.ts'
import { NODE, openConsole, type OpenedConsole } from './test-support/open-console.ts'

let opened: OpenedConsole
beforeEach(async () => {
  opened = await openConsole()
})
afterEach(() => opened.close())

const UNKNOWN = '01900000-0000-7000-8000-000000000000'

/** The first model call that was recorded. */
async function findExchange(id: string): Promise<string> {
  for (;;) {
    const { events } = await opened.clientOf('ann').readEvents({ id })
    const hash = events.map(({ event }) => event['exchange']).find((exchange) => typeof exchange === 'string')
    if (hash !== undefined) return String(hash)
  }
}

it('every operation answers exactly as the contract says', async () => {
  const ann = opened.clientOf('ann')
  const operator = opened.clientOf('local')
  const id = await opened.startWaiting()
  const rule = { tool: 'Bash', args: { command: '^ls$' }, action: 'allow' }
  const tried = new Set<string>()
  const check = async (name: string, answer: Promise<unknown>): Promise<void> => {
    tried.add(name)
    const parsed = await answer
    const { status, text } = opened.wire
    // A field that the contract lacks is left out of the parsed answer.
    expect([name, text === '' ? undefined : JSON.parse(text)]).toEqual([name, parsed])
    const { status: promised } = { ...operations, ...ownerOperations }[name as keyof typeof operations]
    expect([name, status]).toEqual([name, promised])
  }

  await check('readStatus', ann.readStatus())
  await check('readMe', ann.readMe())
  await check('readMcp', operator.readMcp())
  await check('listModels', ann.listModels())
  await check('readNodes', operator.readNodes())
  await check('createSession', ann.createSession({ body: { preset: 'plan' } }))
  await check('listSessions', ann.listSessions({ query: { limit: 1 } }))
  await check('readSession', ann.readSession({ id }))
  await check('findSessions', ann.findSessions({ query: { q: 'go' } }))
  await check('readWaiting', ann.readWaiting({ id }))
  await check('readCall', ann.readCall({ id, call: 'a' }))
  await opened.queue(id, 'next, please')
  await check('readQueue', ann.readQueue({ id }))
  const [queued] = (await ann.readQueue({ id })).inputs
  await check('changeInput', ann.changeInput({ id, input: queued?.inputId ?? '', body: { text: 'rather this' } }))
  expect((await ann.readQueue({ id })).inputs).toMatchObject([{ inputId: queued?.inputId, text: 'rather this' }])
  await check('dropInput', ann.dropInput({ id, input: queued?.inputId ?? '' }))
  await check('readDoors', ann.readDoors({ id, query: { after: 2, limit: 3 } }))
  await check('embedSession', ann.embedSession({ id }))
  await check('readTurns', ann.readTurns({ id, query: { limit: 3 } }))
  await check('listAgents', ann.listAgents())
  await check('listBudgets', ann.listBudgets())
  await check('readOverrides', ann.readOverrides({ id }))
  await check('dropOverrides', ann.dropOverrides({ id }))
  await check('proposeRules', ann.proposeRules({ body: { session: id, call: 'a' } }))
  await check('readClients', ann.readClients({ id }))
  await check('readEvents', ann.readEvents({ id, query: { limit: 3 } }))
  await check('changeSession', ann.changeSession({ id, body: { preset: 'plan', thinking: 'high' } }))
  expect((await ann.readSession({ id })).session).toMatchObject({ preset: 'plan', thinking: 'high' })
  await check('forkSession', ann.forkSession({ id, body: { title: 'Another try' } }))
  await check('listSessions', ann.listSessions({ query: { limit: 2 } }))
  await check('changeRecording', ann.changeRecording({ id, body: { on: true } }))
  await check('readRecording', ann.readRecording({ id }))
  await check('cancelCall', ann.cancelCall({ id, call: 'a' }))
  const another = await opened.startWaiting()
  await check('answerApproval', ann.answerApproval({ id: another, call: 'a', body: { granted: true } }))
  await expect.poll(async () => (await ann.readCall({ id: another, call: 'a' })).settled).toBeDefined()
  await check('openCard', ann.openCard({ id: another, call: 'a', body: {} }))
  await check('readRecorded', ann.readRecorded({ id, hash: await findExchange(id) }))
  await check('replaySession', ann.replaySession({ id }))
  await check('createKey', ann.createKey({ body: { name: 'laptop' } }))
  await check('listKeys', ann.listKeys())
  await check('revokeKey', ann.revokeKey({ id: 'key_1' }))
  await check('createSignInLink', ann.createSignInLink({ body: {} }))
  await check('addMemory', ann.addMemory({ body: { content: 'We deploy on Tuesdays.', topic: 'deploy' } }))
  await check('listMemories', ann.listMemories({ query: { keyword: 'deploy' } }))
  await check('readMemory', ann.readMemory({ id: '1' }))
  await check('changeMemory', ann.changeMemory({ id: '1', body: { disabled: true } }))
  await check('changeMemories', ann.changeMemories({ body: { action: 'enable', ids: [1] } }))
  await check('removeMemory', ann.removeMemory({ id: '1' }))
  await check('addRule', ann.addRule({ body: rule }))
  await check('listRules', ann.listRules())
  await check('importRules', ann.importRules({ body: { rules: [rule, { tool: 'WebFetch' }] } }))
  await check('backtestRule', ann.backtestRule({ body: { rule } }))
  const [first] = (await ann.listRules()).rules
  await check('changeRule', ann.changeRule({ id: first?.id ?? '', body: { ...rule, action: 'ask' } }))
  await check('arrangeRules', ann.arrangeRules({ body: { ids: [first?.id ?? ''] } }))
  await check('removeRule', ann.removeRule({ id: first?.id ?? '' }))
  await check('readUsage', ann.readUsage({ query: { by: 'model' } }))
  await check('addUser', ann.addUser({ body: { name: 'cleo' } }))
  await check('changeUser', ann.changeUser({ name: 'cleo', body: { role: 'admin' } }))
  await check('listUsers', ann.listUsers())
  await check('removeUser', ann.removeUser({ name: 'cleo' }))
  const told = Array.from({ length: 20 }, (_, index) => [
    { role: 'user', content: `Question ${index}` } as const,
    { role: 'assistant', content: [{ type: 'text', text: 'An answer. '.repeat(100) }] } as const,
  ]).flat()
  const imported = operator.importSession({ body: { title: 'Old', messages: told } })
  await check('importSession', imported)
  const { sessionId: commanded } = await imported
  await check('listCommands', operator.listCommands({ id: commanded }))
  await check('runCommand', operator.runCommand({ id: commanded, body: { name: 'greet', rest: ' ann ' } }))
  await check('compactSession', operator.compactSession({ id: (await imported).sessionId }))
  expect([...tried].toSorted()).toEqual(Object.keys({ ...operations, ...ownerOperations }).toSorted())
})

it('a session and its fork name each other', async () => {
  const ann = opened.clientOf('ann')
  const id = await opened.startWaiting()
  const { sessionId } = await ann.forkSession({ id })
  const { sessions } = await ann.listSessions()
  const named = sessions.map(({ sessionId: own, parent, forks }) => ({ own, parent, forks }))
  expect(named).toContainEqual({ own: sessionId, parent: { sessionId: id }, forks: undefined })
  expect(named).toContainEqual({ own: id, parent: undefined, forks: [{ sessionId }] })
  await expect(ann.forkSession({ id, body: { turnId: 'turn_none' } })).rejects.toMatchObject({ status: 400 })
  const { events } = await ann.readEvents({ id })
  const said = events.find(({ event }) => event.type === 'input.admitted')?.event['inputId']
  const before = await ann.forkSession({ id, body: { beforeInput: String(said) } })
  expect((await ann.readSession({ id: before.sessionId })).messages).toEqual([])
  await expect(ann.forkSession({ id, body: { turnId: 'a', beforeInput: 'b' } })).rejects.toMatchObject({ status: 400 })
  await expect(opened.clientOf('ben').forkSession({ id })).rejects.toMatchObject({ status: 404 })
})

describe('what waits', () => {
  it('comes with its whole input and the sentence about it', async () => {
    const id = await opened.startWaiting()
    expect(await opened.clientOf('ann').readWaiting({ id })).toMatchObject({
      calls: [
        {
          toolCallId: 'a',
          name: 'pay',
          input: { amount: 3 },
          waitsFor: 'approval',
          sentence: "The agent asks to run pay. The session's mode asks before calls like this one.",
          diffs: [],
          approval: { reason: 'preset', isCoverable: true },
        },
      ],
    })
  })

  it('is answered once, and only by one of its offers', async () => {
    const id = await opened.startWaiting()
    const ann = opened.clientOf('ann')
    const { calls } = await ann.readWaiting({ id })
    const offer = calls[0]?.approval?.offers[0]?.id ?? ''
    const answer = (body: { granted: boolean; offer?: string }) => ann.answerApproval({ id, call: 'a', body })
    await expect(answer({ granted: true, offer: 'everything' })).rejects.toMatchObject({ status: 400 })
    await expect(
      opened.clientOf('ben').answerApproval({ id, call: 'a', body: { granted: true } }),
    ).rejects.toMatchObject({ status: 404 })
    await answer({ granted: true, offer })
    await expect(answer({ granted: false })).rejects.toMatchObject({ code: 'call-already-settled' })
    const { events } = await ann.readEvents({ id })
    const resolved = events.flatMap(({ event }) => (event.type === 'approval.resolved' ? [event] : []))
    expect(resolved).toEqual([
      { type: 'approval.resolved', turnId: calls[0]?.turnId, toolCallId: 'a', granted: true, scope: 'session', offer },
    ])
  })

  it('is unknown to other users', async () => {
    const id = await opened.startWaiting()
    await expect(opened.clientOf('ben').readWaiting({ id })).rejects.toMatchObject({
      status: 404,
      code: 'session-not-found',
    })
  })
})

describe('a search', () => {
  it('returns the positions of the words, within its filters and the sessions of the user', async () => {
    const ann = opened.clientOf('ann')
    const id = await opened.startWaiting()
    const { sessionId: idle } = await ann.createSession({ body: {} })
    const { hits } = await ann.findSessions({ query: { q: 'GO' } })
    expect(hits).toMatchObject([
      { session: { sessionId: id }, place: { speaker: 'user', before: '', match: 'go', after: '' } },
    ])
    const found = async (query: object) =>
      (await ann.findSessions({ query })).hits.map(({ session }) => session.sessionId)
    expect(await found({})).toEqual([idle, id])
    expect(await found({ status: 'waiting' })).toEqual([id])
    expect(await found({ agent: 'tester', limit: 1 })).toEqual([idle])
    expect(await ann.findSessions({ query: { agent: 'tester', limit: 1 } })).toMatchObject({ next: 1 })
    expect(await found({ agent: 'tester', limit: 1, offset: 1 })).toEqual([id])
    expect(await found({ via: 'acp' })).toEqual([])
    expect((await opened.clientOf('ben').findSessions({ query: { q: 'go' } })).hits).toEqual([])
  })
})

it('a call is read with its approval and its end', async () => {
  const ann = opened.clientOf('ann')
  const id = await opened.startWaiting()
  const waiting = await ann.readCall({ id, call: 'a' })
  expect(waiting).toMatchObject({ name: 'pay', input: { amount: 3 }, requested: { callHash: expect.any(String) } })
  await ann.answerApproval({ id, call: 'a', body: { granted: false, reason: 'too much' } })
  expect(await ann.readCall({ id, call: 'a' })).toMatchObject({
    resolved: { granted: false, reason: 'too much' },
    settled: { status: 'denied', by: 'engine' },
  })
  const another = await opened.startWaiting()
  await ann.answerApproval({ id: another, call: 'a', body: { granted: true } })
  await expect.poll(async () => (await ann.readCall({ id: another, call: 'a' })).settled).toBeDefined()
  const { requested, startedAt } = await ann.readCall({ id: another, call: 'a' })
  expect(startedAt).toBeGreaterThanOrEqual(requested?.at ?? Infinity)
  await expect(ann.readCall({ id, call: 'b' })).rejects.toMatchObject({ status: 404 })
  await expect(opened.clientOf('ben').readCall({ id, call: 'a' })).rejects.toMatchObject({ status: 404 })
})

describe('a request that is refused', () => {
  it.each([
    [() => opened.clientOf('').readStatus(), 401, 'Unauthorized'],
    [() => opened.clientOf('ann').readSession({ id: UNKNOWN }), 404, 'session'],
    [() => opened.clientOf('ann').listSessions({ query: { limit: 0 } }), 400, 'limit: '],
    [() => opened.clientOf('ann').createSession({ body: { agent: 'nobody' } }), 400, 'no agent called nobody'],
    [() => opened.clientOf('ann').createSession({ body: { preset: 'full-access' } }), 403, 'above the ceiling'],
    [
      () => opened.clientOf('ann').createSession({ body: { directory: '/' } }),
      403,
      'only programs on the owner socket',
    ],
    [() => opened.clientOf('ann').createKey({ body: { name: 'x', user: 'ben' } }), 403, 'for yourself only'],
    [() => opened.clientOf('stale').createKey({ body: { name: 'x' } }), 403, 'Sign in again'],
    [() => opened.clientOf('stale').embedSession({ id: 'x' }), 403, 'Sign in again'],
    [() => opened.clientOf('ben').listUsers(), 403, 'Only admins'],
    [() => opened.clientOf('ben').addUser({ body: { name: 'cleo' } }), 403, 'Only admins'],
    [() => opened.clientOf('ben').changeUser({ name: 'ben', body: { role: 'admin' } }), 403, 'Only admins'],
    [() => opened.clientOf('ben').removeUser({ name: 'ann' }), 403, 'Only admins'],
    [() => opened.clientOf('ben').listKeys({ query: { user: '*' } }), 403, 'Only admins'],
    [() => opened.clientOf('ann').addUser({ body: { name: 'ben' } }), 409, 'ben exists'],
    [() => opened.clientOf('ann').addUser({ body: { name: '../x' } }), 400, 'name: '],
    [() => opened.clientOf('ann').changeUser({ name: 'local', body: { role: 'user' } }), 409, 'always an admin'],
    [() => opened.clientOf('ann').removeUser({ name: 'local' }), 409, 'cannot be removed'],
    [() => opened.clientOf('ann').removeUser({ name: 'nobody' }), 404, 'No such user.'],
    [() => opened.clientOf('ann').removeUser({ name: 'ben' }), 409, 'ben has sessions'],
    [() => opened.clientOf('ann').removeMemory({ id: '0x1' }), 404, 'No such memory.'],
    [() => opened.clientOf('ann').readUsage({ query: { by: 'weather' } }), 400, 'must be some of model, day'],
  ])('rejects with the sentence of the server: %s', async (ask, status, sentence) => {
    const refusal = await ask().catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ConsoleRefusal)
    expect(refusal).toMatchObject({ status, message: expect.stringContaining(sentence) })
  })

  it('is not carried out when its key was revoked while its body was on the way', async () => {
    opened.keys.revoked.abort()
    await expect(opened.clientOf('ann').createKey({ body: { name: 'late' } })).rejects.toMatchObject({ status: 401 })
    expect(await opened.keys.list()).toEqual([])
  })
})

it('errors of an MCP server can name paths, so only the operator reads them', async () => {
  const errors = async (user: string) =>
    (await opened.clientOf(user).readMcp()).servers.map(({ lastError }) => lastError)
  expect(await errors('local')).toEqual(['spawn /opt/notes ENOENT'])
  expect(await errors('ann')).toEqual([undefined])
})

it('leases name the sessions of all users, so only the operator reads the nodes', async () => {
  expect(await opened.clientOf('local').readNodes()).toEqual({
    nodes: [NODE],
    leases: [{ sessionId: 's1', nodeId: NODE.nodeId }],
  })
  await expect(opened.clientOf('ann').readNodes()).rejects.toMatchObject({ status: 403 })
})

it('rules are imported once, for repeated imports of their file', async () => {
  const ann = opened.clientOf('ann')
  const body = {
    rules: [
      { tool: 'Bash', action: 'deny' },
      { tool: 'Read', action: 'perhaps' },
    ],
  }
  expect(await ann.importRules({ body })).toMatchObject({
    known: 0,
    warnings: [expect.stringMatching(/^rules\.1\.action/)],
  })
  expect(await ann.importRules({ body })).toMatchObject({ known: 2, rules: [] })
  expect((await ann.listRules()).rules.map(({ action }) => action)).toEqual(['deny', 'ask'])
})

it('every operation is described for the OpenAPI document, with its whole path', () => {
  const described = describeOperations()
  expect(described.map(({ name }) => name)).toEqual(Object.keys(operations).map((name) => `console_${name}`))
  expect(described.every(({ path }) => path.startsWith('/api/polylogue/'))).toBe(true)
})

describe('the doors of a session', () => {
  it('are shown beside each event, and the last row includes what waited for the next one', async () => {
    const id = await opened.startWaiting()
    const ann = opened.clientOf('ann')
    const { events } = await ann.readEvents({ id })
    const whole = await ann.readDoors({ id, query: { limit: 1000 } })
    expect(whole.doors).toEqual(['late'])
    expect(whole.rows.map(({ seq, event }) => [seq, event.type])).toEqual(
      events.map(({ seq, event }) => [seq, event.type]),
    )
    expect(whole.last).toBe(events.length)
    const two = await ann.readDoors({ id, query: { after: 1, limit: 2 } })
    expect(two.rows.map(({ seq, shown }) => [seq, shown['late']])).toEqual([
      [2, [{ name: events[0]?.event.type, body: { seq: 1 } }]],
      [
        3,
        [
          { name: events[1]?.event.type, body: { seq: 2 } },
          { name: events[2]?.event.type, body: { seq: 3 } },
        ],
      ],
    ])
  })

  it('are refused to others, as is the list of its readers', async () => {
    const id = await opened.startWaiting()
    const ben = opened.clientOf('ben')
    await expect(ben.readDoors({ id })).rejects.toMatchObject({ status: 404 })
    await expect(ben.readClients({ id })).rejects.toMatchObject({ status: 404 })
    const { events } = await opened.clientOf('ann').readEvents({ id, query: { limit: 1000 } })
    const lastSeq = events.at(-1)?.seq ?? 0
    expect(await opened.clientOf('ann').readClients({ id })).toEqual({
      clients: [{ door: 'late', client: `reader of ${id}`, since: 1, cursor: 1, lag: lastSeq - 1 }],
    })
  })
})
