import type { SessionId } from '@polylogue/engine'
import { calls, createFakeParts, createQuestionTool, finishes, loadAcpFrameChecker } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { ConnectOptions } from '../test-support/open-world.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'
import { ClientError, NO_ANSWER } from '../test-support/wire-client.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const ASK_USER = '_agentao.cn/ask_user'
const ELICIT = 'elicitation/create'
const FORMS = { elicitation: { form: {} } }
const profiles = ['standard', 'seed'] as const

async function openAsking(connect: ConnectOptions = {}, input: object = { question: 'Who are you?' }) {
  const world = open({ tools: [createQuestionTool()] })
  const connected = await world.connect(connect)
  const sessionId = (await connected.newSession()) as SessionId
  world.model.push([calls('c1', 'Ask', input), finishes('tool-calls')])
  /** What the model read as the result of its question. */
  const heard = () => world.model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.content
  return { ...world, ...connected, sessionId, heard }
}

describe.each(profiles)('a question, in profile %s,', (profile) => {
  it.each([
    ['{answer}', { answer: 'Bob' }],
    ['{outcome, text}', { outcome: 'answered', text: 'Bob' }],
  ])('acp 137: is answered with %s', async (_name, answer) => {
    const { client, sessionId, say, heard } = await openAsking({ profile })
    client.answer(ASK_USER, () => answer)
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(heard()).toBe('Bob')
    expect(client.requests[0].params).toEqual({ sessionId, question: 'Who are you?' })
  })

  it.each([
    ['nothing', null],
    ['an empty answer', { answer: '' }],
    ['a blank answer', { answer: '  ' }],
    ['an answer that is no text', { answer: 5 }],
    ['cancelled', { outcome: 'cancelled' }],
    ['cancelled, with an answer', { outcome: 'cancelled', answer: 'x' }],
    ['the words themselves', { answer: '(user unavailable)' }],
  ])('acp 138: answered with %s reads “(user unavailable)”', async (_name, answer) => {
    const { client, sessionId, say, heard } = await openAsking({ profile })
    client.answer(ASK_USER, () => answer)
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(heard()).toBe('(user unavailable)')
  })

  it.each([-32603, -32001, -32601])('acp 138: answered with the error %i too', async (code) => {
    const { client, sessionId, say, heard } = await openAsking({ profile })
    client.answer(ASK_USER, () => {
      throw new ClientError(code)
    })
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(heard()).toBe('(user unavailable)')
  })

  it('acp 139: is a form for clients that fill in forms', async () => {
    const { client, sessionId, say, heard } = await openAsking({ profile, capabilities: FORMS })
    client.answer(ELICIT, () => ({ action: 'accept', content: { answer: 'Bob' } }))
    await say(sessionId, 'go')
    expect(heard()).toBe('Bob')
    expect(client.requests).toHaveLength(1)
    expect(client.requests[0].params).toEqual({
      sessionId,
      toolCallId: 'c1',
      mode: 'form',
      message: 'Who are you?',
      requestedSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
    })
  })

  it('acp 140: is not asked by an extension that the client has said it does not know', async () => {
    const { client, sessionId, say, model, heard } = await openAsking({ profile })
    client.answer(ASK_USER, () => {
      throw new ClientError(-32601)
    })
    await say(sessionId, 'go')
    model.push([calls('c2', 'Ask', { question: 'Really?' }), finishes('tool-calls')])
    expect(await say(sessionId, 'again')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(client.requests).toHaveLength(1)
    expect(heard()).toBe('(user unavailable)')
  })
})

describe('questions', () => {
  it.each([
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept' },
    { action: 'accept', content: { answer: '' } },
    'x',
  ])('acp 138: a form that is answered with %j was not filled in', async (answer) => {
    const { client, sessionId, say, heard } = await openAsking({ capabilities: FORMS })
    client.answer(ELICIT, () => answer)
    await say(sessionId, 'go')
    expect(heard()).toBe('(user unavailable)')
  })

  it('several in one call are asked one after another, with what may be chosen', async () => {
    const input = {
      questions: [
        { question: 'Which?', header: 'Colour', options: [{ label: 'red', description: 'warm' }, { label: 'blue' }] },
        { question: 'What else?', options: [{ label: 'a' }, { label: 'b' }], multiSelect: true },
      ],
    }
    const asked = await openAsking({}, input)
    const answers = [{ answer: 'red' }, { answer: 'a, b' }]
    asked.client.answer(ASK_USER, () => answers.shift())
    await asked.say(asked.sessionId, 'go')
    const { sessionId } = asked
    expect(asked.client.requests.map(({ params }) => params)).toEqual([
      { sessionId, question: 'Which?', header: 'Colour', options: ['red', 'blue'], multiple: false, allowCustom: true },
      { sessionId, question: 'What else?', options: ['a', 'b'], multiple: true, allowCustom: true },
    ])
    expect(asked.heard()).toBe('Which?\nred\n\nWhat else?\na, b')

    const forms = await openAsking({ capabilities: FORMS }, input)
    const filled = ['red', ['a', 'b']]
    forms.client.answer(ELICIT, () => ({ action: 'accept', content: { answer: filled.shift() } }))
    await forms.say(forms.sessionId, 'go')
    expect(forms.client.requests.map(({ params }) => params.requestedSchema.properties.answer)).toEqual([
      { type: 'string', enum: ['red', 'blue'], title: 'Colour' },
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    ])
    expect(forms.heard()).toBe('Which?\nred\n\nWhat else?\na, b')
  })

  it('acp 138: a client that leaves leaves them open, and another answers', async () => {
    const { client, sessionId, say, engine, user, connect, cwd, heard, turnEnded } = await openAsking({
      recovery: 'continue',
    })
    void say(sessionId, 'go').catch(() => undefined)
    await client.untilRequest(ASK_USER)
    await client.leave()
    expect(await engine.readSession(user, sessionId)).toMatchObject({ status: 'waiting', waitingCalls: ['c1'] })
    const ended = turnEnded(sessionId)
    const second = await connect()
    second.client.answer(ASK_USER, () => ({ answer: 'Bob' }))
    await second.client.result('session/load', { sessionId, cwd, mcpServers: [] })
    await ended
    expect(heard()).toBe('Bob')
  })

  it('are answered by no other client that cannot answer', async () => {
    const { client, sessionId, say, connect, cwd, heard } = await openAsking()
    const second = await connect()
    second.client.answer(ASK_USER, () => {
      throw new ClientError(-32601)
    })
    await second.client.result('session/load', { sessionId, cwd, mcpServers: [] })
    const answered = say(sessionId, 'go')
    await second.client.untilRequest(ASK_USER)
    await second.client.result('session/list', {})
    const { id } = await client.untilRequest(ASK_USER)
    client.send({ jsonrpc: '2.0', id, result: { answer: 'Bob' } })
    await answered
    expect(heard()).toBe('Bob')
  })

  it('that are answered at another door are taken back', async () => {
    const { client, sessionId, say, engine, user, heard } = await openAsking()
    client.answer(ASK_USER, () => NO_ANSWER)
    const answered = say(sessionId, 'go')
    const { id } = await client.untilRequest(ASK_USER)
    const answers = [{ type: 'result', toolCallId: 'c1' as never, content: 'Carol' }] as const
    await engine.execute({ type: 'answer-calls', userId: user, sessionId, answers, whenRunning: 'accept' })
    await client.until(({ method, params }) => method === '$/cancel_request' && params.requestId === id)
    await answered
    expect(heard()).toBe('Carol')
  })
})
