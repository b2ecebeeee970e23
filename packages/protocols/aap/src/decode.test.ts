import { describe, expect, it } from 'vitest'
import { parseCreateAndRun, parseCreateSession, parseTurn } from './decode.ts'
import { WireError } from './errors.ts'

function refusal(parse: () => unknown): string {
  try {
    parse()
  } catch (error) {
    if (error instanceof WireError && error.status === 400) return error.message
    throw error
  }
  throw new Error('it was not refused')
}

const agent = { name: 'tester' }
const user = { role: 'user', content: 'hi' }

describe('a request to create a session', () => {
  it('keeps known fields, drops others, and treats null as absent', () => {
    const request = parseCreateSession({
      agent: { ...agent, tools: null, options: { language: 'de' }, extra: 1 },
      messages: [{ role: 'system', content: 'be kind', extra: 1 }, user],
      tools: [{ name: 'weather', title: null, description: '', parameters: { type: 'object', $schema: 'x' } }],
      stream: 'delta',
    })
    expect(request).toEqual({
      agent: { name: 'tester', tools: undefined, options: { language: 'de' } },
      messages: [{ role: 'system', content: 'be kind' }, user],
      tools: [{ name: 'weather', title: undefined, description: '', parameters: { type: 'object', $schema: 'x' } }],
    })
  })

  it.each([
    [null, 'body: expected object, received null'],
    [[], 'body: expected object, received array'],
    [{}, 'agent: expected object, received undefined'],
    [{ agent: {} }, 'agent.name: expected string, received undefined'],
    [{ agent: { name: 1 } }, 'agent.name: expected string, received number'],
    [{ agent: { ...agent, options: { apiKey: 77 } } }, 'agent.options.apiKey: expected string'],
    [
      { agent: { ...agent, tools: [{ name: 'a' }, { trust: true }] } },
      'agent.tools[1].name: expected string, received undefined',
    ],
    [{ agent, messages: {} }, 'messages: expected array, received object'],
    [
      { agent, messages: [user, { role: 'tool_permission', toolCallId: 'a', granted: true }] },
      'messages[1].role: expected one of system, user, assistant, tool',
    ],
    [
      { agent, messages: [{ role: 'user', content: 4 }] },
      'messages[0].content: expected string, received number or expected array, received number',
    ],
    [
      { agent, messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'image' }] }] },
      'messages[0].content[1].url: expected string, received undefined',
    ],
    [
      { agent, messages: [{ role: 'user', content: [{ type: 'tool_use' }] }] },
      'messages[0].content[0].type: expected one of text, image',
    ],
    [
      {
        agent,
        messages: [{ role: 'assistant', content: [{ type: 'tool_use', toolCallId: 'a\ud800', name: 'b', input: {} }] }],
      },
      'messages[0].content[0].toolCallId: expected whole characters, received half of one',
    ],
    [
      {
        agent,
        messages: [{ role: 'assistant', content: [{ type: 'tool_use', toolCallId: 'a', name: 'b', input: [] }] }],
      },
      'messages[0].content[0].input: expected object',
    ],
    [{ agent, tools: [{ name: 'a', description: '', inputSchema: {} }] }, 'tools[0].parameters: expected object'],
  ])('%j is refused, and the field is named', (body, message) => {
    expect(refusal(() => parseCreateSession(body))).toBe(message)
  })

  it('with a million bad elements costs one complaint', () => {
    const messages = Array.from({ length: 1_000_000 }, () => 1)
    expect(() => parseCreateSession({ agent, messages })).toThrow(/^messages\[0\]: /)
  })

  it('never has a value of an option in its refusal', () => {
    expect(() => parseCreateSession({ agent: { ...agent, options: { apiKey: ['s3cret'] } } })).toThrow(
      /^((?!s3cret).)*$/,
    )
  })

  it('with __proto__ among its options has no such option', () => {
    const request = parseCreateSession(JSON.parse('{"agent":{"name":"a","options":{"__proto__":"x","b":"c"}}}'))
    expect(Object.entries(request.agent.options ?? {})).toEqual([['b', 'c']])
  })
})

describe('a request of version 1 to create and run', () => {
  it('splits the seed from the first input and reads inputSchema', () => {
    const tools = [{ name: 'weather', description: 'x', inputSchema: { type: 'object' } }]
    expect(parseCreateAndRun({ agent, messages: [{ role: 'system', content: 's' }, user], tools })).toEqual({
      agent: { name: 'tester', tools: undefined, options: undefined },
      seed: [{ role: 'system', content: 's' }],
      input: 'hi',
      stream: 'none',
      tools: [{ name: 'weather', description: 'x', parameters: { type: 'object' } }],
    })
  })

  it.each([[undefined], [null], [[]], [[user, { role: 'assistant', content: 'hello' }]]])(
    'with messages %j has no last user message',
    (messages) => {
      expect(refusal(() => parseCreateAndRun({ agent, messages }))).toBe('Last message must be a user message')
    },
  )
})

describe('a request for a turn', () => {
  const answers = [
    { role: 'tool', toolCallId: 'a', content: 'warm' },
    { role: 'tool_permission', toolCallId: 'b', granted: false, reason: null },
  ]

  it('is one user message, or answers to calls', () => {
    expect(parseTurn(3, { messages: [user] })).toMatchObject({
      stream: 'none',
      messages: { type: 'input', content: 'hi' },
    })
    expect(parseTurn(3, { messages: answers, stream: 'message' })).toMatchObject({
      stream: 'message',
      messages: { type: 'answers', answers: [answers[0], { granted: false }] },
    })
  })

  it.each([
    [{}, 'messages: expected array, received undefined'],
    [{ messages: [] }, 'messages: expected at least one message'],
    [{ messages: [user, user] }, 'messages: expected one user message, or tool and tool_permission messages only'],
    [
      { messages: [...answers, user] },
      'messages: expected one user message, or tool and tool_permission messages only',
    ],
    [
      { messages: [{ role: 'assistant', content: 'x' }] },
      'messages[0].role: expected one of user, tool, tool_permission',
    ],
    [
      { messages: [{ role: 'tool_permission', toolCallId: 'a', granted: 'yes' }] },
      'messages[0].granted: expected boolean, received string',
    ],
    [{ messages: [user], stream: 'sse' }, 'stream: Invalid option: expected one of "delta"|"message"|"none"'],
  ])('%j is refused', (body, message) => {
    expect(refusal(() => parseTurn(3, body))).toBe(message)
  })
})

describe('a plain turn', () => {
  const turn = (more: object = {}) => ({ messages: [{ role: 'user', content: 'hi' }], ...more })
  const read = { stream: 'none', agent: undefined, tools: undefined, messages: { type: 'input', content: 'hi' } }

  it.each([
    ['as it is', turn(), read],
    ['with a stream', turn({ stream: 'delta' }), { ...read, stream: 'delta' }],
    ['with a stream that is null', turn({ stream: null }), read],
    ['with an unknown field', turn({ more: 1 }), read],
    ['with absent fields', turn({ agent: null, tools: null }), read],
    ['with an unknown field in its message', { messages: [{ role: 'user', content: 'hi', id: 1 }] }, read],
  ])('%s is read the same way with and without the schema', (_name, body, expected) => {
    for (const version of [1, 3] as const) expect(parseTurn(version, body)).toEqual(expected)
  })

  it.each([
    ['an unknown stream', turn({ stream: 'x' })],
    ['a content that is no text', { messages: [{ role: 'user', content: 1 }] }],
    ['another role', { messages: [{ role: 'system', content: 'hi' }] }],
    ['messages that are no list', { messages: 'hi' }],
    ['a message that is null', { messages: [null] }],
  ])('with %s is refused', (_name, body) => {
    expect(() => parseTurn(3, body)).toThrow(/expected/)
  })
})
