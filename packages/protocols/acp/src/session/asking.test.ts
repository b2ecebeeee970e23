import type { SessionId, ToolOutput } from '@polylogue/engine'
import {
  calls,
  createFakeParts,
  createFakeTool,
  createQuestionTool,
  finishes,
  loadAcpFrameChecker,
  says,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { ConnectOptions } from '../test-support/open-world.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'
import { ClientError, NO_ANSWER } from '../test-support/wire-client.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const ASK_USER = '_agentao.cn/ask_user'
const ELICIT = 'elicitation/create'
const PERMIT = 'session/request_permission'
const FORMS = { elicitation: { form: {} } }
const EXTENSION = { _meta: { '_agentao.cn/extensions': [{ method: ASK_USER }] } }
const profiles = ['standard', 'seed'] as const
const UNANSWERED = {
  standard: 'The user did not answer. Decide what is reasonable, and say what you decided.',
  seed: '(user unavailable)',
} as const

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
    const { client, sessionId, say, heard } = await openAsking({ profile, capabilities: EXTENSION })
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
  ])('acp 138: answered with %s is unanswered', async (_name, answer) => {
    const { client, sessionId, say, heard } = await openAsking({ profile, capabilities: EXTENSION })
    client.answer(ASK_USER, () => answer)
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(heard()).toBe(UNANSWERED[profile])
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
})

describe('a question, in profile seed,', () => {
  it.each([-32603, -32001, -32601])('acp 138: answered with the error %i is unanswered too', async (code) => {
    const { client, sessionId, say, heard } = await openAsking({ profile: 'seed' })
    client.answer(ASK_USER, () => {
      throw new ClientError(code)
    })
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(heard()).toBe(UNANSWERED.seed)
  })

  it('acp 140: does not use an extension that the client has reported as unknown', async () => {
    const { client, sessionId, say, model, heard } = await openAsking({ profile: 'seed' })
    client.answer(ASK_USER, () => {
      throw new ClientError(-32601)
    })
    await say(sessionId, 'go')
    model.push([calls('c2', 'Ask', { question: 'Really?' }), finishes('tool-calls')])
    expect(await say(sessionId, 'again')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(client.requests).toHaveLength(1)
    expect(heard()).toBe(UNANSWERED.seed)
  })
})

describe('a question to a client without forms', () => {
  const colours = {
    question: 'Which colour?',
    header: 'Paint',
    options: [{ label: 'red', description: 'warm' }, { label: 'blue' }],
  }

  it('acp finding 4: has a button for each choice, with its description', async () => {
    const { client, sessionId, say, heard } = await openAsking({}, colours)
    client.answer(PERMIT, () => ({ outcome: { outcome: 'selected', optionId: 'choice-1' } }))
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(heard()).toBe('blue')
    expect(client.requests.map(({ method }) => method)).toEqual([PERMIT])
    expect(client.requests[0].params).toMatchObject({
      toolCall: {
        toolCallId: 'c1',
        title: 'Which colour?',
        content: [{ content: { text: '**Paint** Which colour?\n\n- red: warm\n- blue' } }],
      },
      options: [
        { optionId: 'choice-0', name: 'red', kind: 'allow_once' },
        { optionId: 'choice-1', name: 'blue', kind: 'allow_once' },
        { optionId: 'in-words', name: 'Something else…', kind: 'reject_once' },
      ],
    })
  })

  it('is a message where the client shows all buttons of a kind alike', async () => {
    const clientInfo = { name: 'CodeCompanion.nvim', version: '1.0.0' }
    const { client, sessionId, say, heard } = await openAsking({ clientInfo }, colours)
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(client.requests).toEqual([])
    expect(client.text()).toBe('**Paint** Which colour?\n\n- red: warm\n- blue')
    await say(sessionId, 'blue')
    expect(heard()).toBe('blue')
  })

  it.each([{ outcome: { outcome: 'cancelled' } }, { outcome: { outcome: 'selected', optionId: 'choice-7' } }, null])(
    'is unanswered when its buttons are answered with %j',
    async (answer) => {
      const { client, sessionId, say, heard } = await openAsking({}, colours)
      client.answer(PERMIT, () => answer)
      expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'end_turn' } })
      expect(heard()).toBe(UNANSWERED.standard)
    },
  )

  it('acp finding 4: is answered in words by the next prompt, and the turn continues', async () => {
    const { client, sessionId, say, heard, model, engine, user } = await openAsking()
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(client.text()).toBe('Who are you?')
    expect(client.requests).toEqual([])
    expect(await engine.readSession(user, sessionId)).toMatchObject({ status: 'waiting' })
    model.push([says('Hello Bob'), finishes()])
    expect(await say(sessionId, 'Bob')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(heard()).toBe('Bob')
    expect(client.text()).toBe('Who are you?Hello Bob')
    // CodeCompanion forgets calls with their prompt, so the last update says again what it is about.
    const last = client.updates().findLast(({ sessionUpdate }) => sessionUpdate === 'tool_call_update')
    expect(last).toMatchObject({ title: 'Ask', kind: 'other', status: 'completed' })
    expect(await Array.fromAsync(await engine.streamHistory(user, sessionId, 'full'))).toMatchObject([
      { role: 'user', content: 'go' },
      { role: 'assistant' },
      { role: 'tool', content: 'Bob' },
      { role: 'assistant' },
    ])
  })

  it.each([
    ['the button for other words', () => ({ outcome: { outcome: 'selected', optionId: 'in-words' } })],
    [
      'a client without permission requests',
      () => {
        throw new ClientError(-32601)
      },
    ],
  ])('falls back to a text answer after %s', async (_name, answer) => {
    const { client, sessionId, say, heard } = await openAsking({}, colours)
    client.answer(PERMIT, answer)
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'end_turn' } })
    await say(sessionId, 'green')
    expect(heard()).toBe('green')
  })

  it('with several parts asks the next part after each answer', async () => {
    const input = { questions: [{ question: 'Who?' }, { question: 'Where?' }] }
    const { client, sessionId, say, heard } = await openAsking({}, input)
    await say(sessionId, 'go')
    await say(sessionId, 'Bob')
    expect(client.text()).toBe('Who?Where?')
    await say(sessionId, 'Paris')
    expect(heard()).toBe('Who?\nBob\n\nWhere?\nParis')
  })

  it('lets the other calls of its step finish before the prompt is answered', async () => {
    const slow = Promise.withResolvers<ToolOutput>()
    const world = open({ tools: [createQuestionTool(), createFakeTool('slow', { run: () => slow.promise })] })
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    world.model.push([calls('c1', 'Ask', { question: 'Who?' }), calls('c2', 'slow'), finishes('tool-calls')])
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ content }) => content?.text === 'Who?')
    slow.resolve({ content: 'done' })
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
    const last = client.updates().findLast(({ sessionUpdate }) => sessionUpdate === 'tool_call_update')
    expect(last).toMatchObject({ toolCallId: 'c2', status: 'completed' })
    await say(sessionId, 'Bob')
  })

  it('that is cancelled leaves the next prompt to the model', async () => {
    const { client, sessionId, say, model } = await openAsking()
    await say(sessionId, 'go')
    await client.result('session/cancel', { sessionId })
    await say(sessionId, 'something new')
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'user', content: 'something new' })
  })

  it('falls back from a form that the client refuses', async () => {
    const { client, sessionId, say, heard } = await openAsking({ capabilities: FORMS }, colours)
    client.answer(ELICIT, () => {
      throw new ClientError(-32603)
    })
    client.answer(PERMIT, () => ({ outcome: { outcome: 'selected', optionId: 'choice-0' } }))
    await say(sessionId, 'go')
    expect(heard()).toBe('red')
  })

  it('is asked again when the session is loaded, and answered by the first prompt', async () => {
    const { client, sessionId, say, connect, cwd, heard } = await openAsking({ recovery: 'continue' })
    await say(sessionId, 'go')
    await client.leave()
    const second = await connect()
    await second.client.result('session/load', { sessionId, cwd, mcpServers: [] })
    await second.client.untilUpdate(({ content }) => content?.text === 'Who are you?')
    expect(await second.say(sessionId, 'Bob')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(heard()).toBe('Bob')
  })
})

describe('a form', () => {
  const input = { question: 'Which?', options: [{ label: 'red', description: 'warm' }, { label: 'blue' }] }

  it('acp finding 4: shows the descriptions of the choices, and accepts free text', async () => {
    const { client, sessionId, say, heard } = await openAsking({ capabilities: FORMS }, input)
    client.answer(ELICIT, () => ({ action: 'accept', content: { answer: 'red', other: 'green' } }))
    await say(sessionId, 'go')
    expect(heard()).toBe('green')
    expect(client.requests[0].params.requestedSchema).toEqual({
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          oneOf: [
            { const: 'red', title: 'red', description: 'warm' },
            { const: 'blue', title: 'blue' },
          ],
        },
        other: { type: 'string', title: 'Something else', description: 'An answer in your own words' },
      },
      required: [],
    })
  })

  it('adds free text to several choices', async () => {
    const { client, sessionId, say, heard } = await openAsking({ capabilities: FORMS }, { ...input, multiSelect: true })
    client.answer(ELICIT, () => ({ action: 'accept', content: { answer: ['red', 'blue'], other: 'green' } }))
    await say(sessionId, 'go')
    expect(heard()).toBe('red, blue, green')
  })

  it('has only the choices in profile seed', async () => {
    const { client, sessionId, say } = await openAsking({ profile: 'seed', capabilities: FORMS }, input)
    client.answer(ELICIT, () => ({ action: 'accept', content: { answer: 'red' } }))
    await say(sessionId, 'go')
    expect(client.requests[0].params.requestedSchema).toEqual({
      type: 'object',
      properties: { answer: { type: 'string', enum: ['red', 'blue'] } },
      required: ['answer'],
    })
  })
})

describe('questions', () => {
  it.each([
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept' },
    { action: 'accept', content: { answer: '' } },
    'x',
  ])('acp 138: a form that is answered with %j counts as unanswered', async (answer) => {
    const { client, sessionId, say, heard } = await openAsking({ capabilities: FORMS })
    client.answer(ELICIT, () => answer)
    await say(sessionId, 'go')
    expect(heard()).toBe(UNANSWERED.standard)
  })

  it('several in one call are asked one after another, with their choices', async () => {
    const input = {
      questions: [
        { question: 'Which?', header: 'Colour', options: [{ label: 'red', description: 'warm' }, { label: 'blue' }] },
        { question: 'What else?', options: [{ label: 'a' }, { label: 'b' }], multiSelect: true },
      ],
    }
    const asked = await openAsking({ capabilities: EXTENSION }, input)
    const answers = [{ answer: 'red' }, { answer: 'a, b' }]
    asked.client.answer(ASK_USER, () => answers.shift())
    await asked.say(asked.sessionId, 'go')
    const { sessionId } = asked
    expect(asked.client.requests.map(({ params }) => params)).toEqual([
      {
        sessionId,
        question: 'Which?',
        header: 'Colour',
        options: ['red', 'blue'],
        multiple: false,
        allowCustom: true,
        descriptions: ['warm', ''],
      },
      { sessionId, question: 'What else?', options: ['a', 'b'], multiple: true, allowCustom: true },
    ])
    expect(asked.heard()).toBe('Which?\nred\n\nWhat else?\na, b')

    const forms = await openAsking({ capabilities: FORMS }, input)
    const filled = ['red', ['a', 'b']]
    forms.client.answer(ELICIT, () => ({ action: 'accept', content: { answer: filled.shift() } }))
    await forms.say(forms.sessionId, 'go')
    expect(forms.client.requests.map(({ params }) => params.requestedSchema.properties.answer)).toEqual([
      { type: 'string', title: 'Colour', oneOf: expect.any(Array) },
      { type: 'array', items: { anyOf: expect.any(Array) } },
    ])
    expect(forms.heard()).toBe('Which?\nred\n\nWhat else?\na, b')
  })

  it('acp 138: stay open when a client leaves, and another client can answer', async () => {
    const { client, sessionId, say, engine, user, connect, cwd, heard, turnEnded } = await openAsking({
      recovery: 'continue',
      capabilities: EXTENSION,
    })
    void say(sessionId, 'go').catch(() => undefined)
    await client.untilRequest(ASK_USER)
    await client.leave()
    expect(await engine.readSession(user, sessionId)).toMatchObject({ status: 'waiting', waitingCalls: ['c1'] })
    const ended = turnEnded(sessionId)
    const second = await connect({ capabilities: EXTENSION })
    second.client.answer(ASK_USER, () => ({ answer: 'Bob' }))
    await second.client.result('session/load', { sessionId, cwd, mcpServers: [] })
    await ended
    expect(heard()).toBe('Bob')
  })

  it('are not settled by another client that cannot answer', async () => {
    const { client, sessionId, say, connect, cwd, heard } = await openAsking({ capabilities: EXTENSION })
    const second = await connect({ capabilities: EXTENSION })
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

  it('that are answered at another door are withdrawn', async () => {
    const { client, sessionId, say, engine, user, heard } = await openAsking({ capabilities: EXTENSION })
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

describe('hidden characters in a question', () => {
  const HIDDEN = '\u202e\u200b\u001b]0;x\u0007\r\u0000\u{e0041}\u3164\u2215'
  const SPELLED = '\\u202e\\u200b\\u001b]0;x\\u0007\\u000d\\u0000\\u{e0041}\\u3164\\u2215'
  // oxlint-disable-next-line no-control-regex
  const RAW = /[\u0000\u0007\r\u001b\u202e\u200b\u3164\u2215\u{e0041}]/u
  const evil = (text: string): string => `${text}${HIDDEN}`
  const input = {
    questions: [
      {
        question: evil('Delete?'),
        header: evil('Files'),
        options: [{ label: evil('yes'), description: evil('all') }, { label: 'no' }],
      },
    ],
  }

  interface Way {
    readonly way: string
    readonly capabilities: NonNullable<ConnectOptions['capabilities']>
    readonly method: string
    answer(shown: string): object
  }
  const form: Way = {
    way: 'a form',
    capabilities: FORMS,
    method: ELICIT,
    answer: (shown) => ({ action: 'accept', content: { answer: shown } }),
  }
  const extension: Way = {
    way: 'the extension',
    capabilities: EXTENSION,
    method: ASK_USER,
    answer: (shown) => ({ answer: shown }),
  }
  const buttons: Way = {
    way: 'buttons',
    capabilities: {},
    method: PERMIT,
    answer: () => ({ outcome: { outcome: 'selected', optionId: 'choice-0' } }),
  }

  it.each([
    ...profiles.map((profile) => ({ profile, ...form })),
    ...profiles.map((profile) => ({ profile, ...extension })),
    { profile: 'standard' as const, ...buttons },
  ])('are spelled out in $way of profile $profile, and the model hears its own choice', async (tried) => {
    const { profile, capabilities, method, answer } = tried
    const { client, sessionId, say, heard } = await openAsking({ profile, capabilities }, input)
    client.answer(method, () => answer(`yes${SPELLED}`))
    await say(sessionId, 'go')
    const texts = textsIn(client.requests[0].params)
    for (const text of ['Delete?', 'yes']) expect(texts.some((shown) => shown.includes(text + SPELLED))).toBe(true)
    expect(texts.filter((shown) => RAW.test(shown))).toEqual([])
    expect(heard()).toBe(evil('yes'))
  })
})

/** Every text of a request but the raw input, which is for programs. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === 'rawInput' ? [] : textsIn(inner)))
}
