import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { SessionId, Tool, ToolInvocation, ToolKind } from '@polylogue/engine'
import {
  calls,
  createFakeParts,
  createFakeTool,
  finishes,
  hangs,
  loadAcpFrameChecker,
  says,
  untilQuiet,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { ConnectOptions, WorldOptions } from '../test-support/open-world.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const KINDS: readonly ToolKind[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch-mode',
  'other',
]

async function openSession(options: WorldOptions = {}, connect: ConnectOptions = {}) {
  const world = open(options)
  const connected = await world.connect(connect)
  return { ...world, ...connected, sessionId: (await connected.newSession()) as SessionId }
}

/** The texts that an update gives a call. */
function textsOf(update: SessionUpdate): readonly string[] {
  if (update.sessionUpdate !== 'tool_call_update' || !update.content) return []
  return update.content.map((part) =>
    part.type === 'content' && part.content.type === 'text' ? part.content.text : '',
  )
}

describe('a tool call', () => {
  it('acp 84, 85: is announced first, and ends exactly once', async () => {
    const boom = createFakeTool('boom', {
      run: () => {
        throw new Error('broken')
      },
    })
    const slow = createFakeTool('slow', { run: () => hangs() })
    const tools = [createFakeTool('look'), boom, slow, createFakeTool('write', { effect: 'unsafe' })]
    const { client, sessionId, say, model, engine, user } = await openSession({ tools })
    model.push(
      [
        calls('c1', 'look'),
        calls('c2', 'boom'),
        calls('c3', 'nobody'),
        calls('c4', 'look', { bad: true }),
        calls('c5', 'write'),
        finishes('tool-calls'),
      ],
      [calls('c6', 'write'), calls('c7', 'slow'), calls('c8', 'look'), finishes('tool-calls')],
    )
    client.answer('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'reject' } }))
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ toolCallId, status }) => toolCallId === 'c7' && status === 'in_progress')
    await engine.execute({ type: 'cancel-turn', userId: user, sessionId, reason: 'test', dropQueue: false })
    await answered
    const told = new Map<string, string[]>()
    for (const frame of client.frames) {
      const call = frame.params?.update?.toolCallId ?? frame.params?.toolCall?.toolCallId
      const state = frame.params?.update?.status ?? (frame.params?.toolCall && 'asked')
      if (call !== undefined) told.set(call, [...(told.get(call) ?? []), state])
    }
    expect([...told.keys()].toSorted()).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'])
    for (const states of told.values()) {
      expect(states[0]).toBe('pending')
      expect(states.filter((state) => state === 'completed' || state === 'failed')).toHaveLength(1)
      expect(['completed', 'failed']).toContain(states.at(-1))
    }
    expect(told.get('c1')).toEqual(['pending', 'in_progress', 'completed'])
    expect(told.get('c5')).toEqual(['pending', 'asked', 'failed'])
    expect(told.get('c7')).toEqual(['pending', 'in_progress', 'failed'])
  })

  it('acp 86: has the kind that its tool declares', async () => {
    const tools = KINDS.map((kind): Tool => ({ ...createFakeTool(`tool-${kind}`), kind }))
    const { client, sessionId, say, model } = await openSession({ tools: [...tools, createFakeTool('plain')] })
    const all = [
      ...KINDS.map((kind) => calls(`c-${kind}`, `tool-${kind}`)),
      calls('c-plain', 'plain'),
      calls('c-x', 'nobody'),
    ]
    model.push([...all, finishes('tool-calls')])
    await say(sessionId, 'go')
    const kinds = client.updates().flatMap((update) => (update.sessionUpdate === 'tool_call' ? [update.kind] : []))
    expect(kinds).toEqual([...KINDS.map((kind) => kind.replace('-', '_')), 'other', 'other'])
  })

  it('acp 87, 88: carries the diffs and locations that its tool announced', async () => {
    const inspect: Tool['inspect'] = async () => ({
      facts: { type: 'write-files' },
      preview: {
        title: 'Edit src/a.ts',
        locations: [{ path: '/w/src/a.ts', line: 4 }, { path: '/w/src/b.ts' }],
        diffs: [
          { path: '/w/src/a.ts', oldText: 'old', newText: 'new' },
          { path: '/w/src/b.ts', newText: 'all new' },
        ],
      },
    })
    const { client, sessionId, say, model } = await openSession({ tools: [createFakeTool('change', { inspect })] })
    model.push([calls('c1', 'change', { path: 'src/a.ts' }), finishes('tool-calls')])
    await say(sessionId, 'go')
    expect(client.updates().find(({ sessionUpdate }) => sessionUpdate === 'tool_call')).toEqual({
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'Edit src/a.ts',
      name: 'change',
      kind: 'other',
      status: 'pending',
      rawInput: { path: 'src/a.ts' },
      locations: [{ path: '/w/src/a.ts', line: 4 }, { path: '/w/src/b.ts' }],
      content: [
        { type: 'diff', path: '/w/src/a.ts', oldText: 'old', newText: 'new' },
        { type: 'diff', path: '/w/src/b.ts', oldText: null, newText: 'all new' },
      ],
    })
  })

  it.each([
    ['standard', ['a', 'abc', 'abcd'], ['abcd', 'done']],
    ['seed', ['a', 'bc', 'd'], ['d']],
  ] as const)('acp 89: streams its output in the way of profile %s', async (profile, shown, last) => {
    const running = Promise.withResolvers<ToolInvocation>()
    const end = Promise.withResolvers<void>()
    const run = async (invocation: ToolInvocation) => {
      running.resolve(invocation)
      await end.promise
      return { content: 'done' }
    }
    const { client, sessionId, say, model, clock } = await openSession(
      { tools: [createFakeTool('shell', { run })] },
      { profile },
    )
    model.push([calls('c1', 'shell'), finishes('tool-calls')])
    const answered = say(sessionId, 'go')
    const { progress } = await running.promise
    const outputs = () => client.updates().flatMap(textsOf)
    progress('a')
    await client.untilUpdate(({ content }) => Array.isArray(content))
    progress('b')
    progress('c')
    await untilQuiet()
    expect(outputs()).toEqual(['a'])
    clock.advance(100)
    await untilQuiet()
    progress('d')
    clock.advance(100)
    await untilQuiet()
    expect(outputs()).toEqual(shown)
    end.resolve()
    await answered
    const final = client.updates().findLast(({ sessionUpdate }) => sessionUpdate === 'tool_call_update')
    expect(final).toMatchObject({ status: 'completed' })
    expect(outputs().at(-1)).toBe(last.at(-1))
  })

  describe('whose output is a file, a list or what a program printed', () => {
    const OUTPUT = '# not a heading\n> app@1.0.0 test\n__tests__/a.ts\n```\ncode\n```\n'
    const shownOf = async (kind: ToolKind, output: string, profile: 'standard' | 'seed' = 'standard') => {
      const run = async ({ progress }: ToolInvocation) => {
        progress(output)
        return { content: output }
      }
      const tools = [createFakeTool('look', { kind, run })]
      const { client, sessionId, say, model, connect, cwd } = await openSession({ tools }, { profile })
      model.push([calls('c1', 'look'), finishes('tool-calls')])
      await say(sessionId, 'go')
      const later = await connect({ profile })
      await later.client.result('session/load', { sessionId, cwd, mcpServers: [] })
      return [...client.updates(), ...later.client.updates()].flatMap(textsOf)
    }

    it.each(['read', 'search', 'execute'] as const)('shows it as it is where Markdown is shown: %s', async (kind) => {
      const block = `\`\`\`\`\n${OUTPUT}\`\`\`\``
      expect(await shownOf(kind, OUTPUT)).toEqual([block, block, block])
    })

    it.each([
      ['it passes', 'it passes'],
      ['(no output)', '(no output)'],
      ['a_b_c', '```\na_b_c\n```'],
      ['1. one', '```\n1. one\n```'],
      ['    four', '```\n    four\n```'],
    ])('makes a code block of a line only if Markdown would change it: %j', async (output, shown) => {
      expect(new Set(await shownOf('execute', output))).toEqual(new Set([shown]))
    })

    it('sends the bare text in profile seed, and for tools that write Markdown', async () => {
      expect(new Set(await shownOf('execute', OUTPUT, 'seed'))).toEqual(new Set([OUTPUT]))
      expect(new Set(await shownOf('fetch', OUTPUT))).toEqual(new Set([OUTPUT]))
    })
  })

  it('shows the images of its result, live and in a replay, and names those that are too large', async () => {
    const small = { hash: 'a'.repeat(64), mediaType: 'image/png', bytes: Buffer.from('small') }
    const large = { hash: 'b'.repeat(64), mediaType: 'image/png', bytes: Buffer.alloc(5 * 1024 * 1024) }
    const image = ({ hash, mediaType }: typeof small) =>
      ({ type: 'image', source: { type: 'blob', hash, mediaType } }) as const
    const run = async () => ({
      content: [{ type: 'text', text: 'look' } as const, image(small), image(large)],
      blobs: [small, large],
    })
    const { client, sessionId, say, model, connect, cwd } = await openSession({
      tools: [createFakeTool('shoot', { run })],
    })
    model.push([calls('c1', 'shoot'), finishes('tool-calls')], [says('nice'), finishes()])
    await say(sessionId, 'go')
    const later = await connect()
    await later.client.result('session/load', { sessionId, cwd, mcpServers: [] })
    const content = (data: string) => ({ type: 'content', content: { type: 'image', data, mimeType: 'image/png' } })
    const named = (text: string) => ({ type: 'content', content: { type: 'text', text } })
    for (const each of [client, later.client]) {
      const end = each.updates().find((update) => 'status' in update && update.status === 'completed')
      expect(end).toMatchObject({
        content: [named('look'), content(Buffer.from('small').toString('base64')), named('[image: image/png]')],
      })
      expect(each.text()).toBe('nice')
      expect(each.kinds().indexOf('tool_call_update')).toBeLessThan(each.kinds().indexOf('agent_message_chunk'))
    }
  })

  it.each([
    ['a completed plan', { todos: [{ content: 'x', status: 'pending' }] }, undefined, ['plan']],
    ['an empty list', { todos: [] }, undefined, ['tool_call', 'tool_call_update', 'tool_call_update']],
    ['a list of nonsense', { todos: [{ a: 1 }] }, undefined, ['tool_call', 'tool_call_update', 'tool_call_update']],
    ['a plan that failed', { todos: [{ content: 'x', status: 'pending' }] }, 'broken', []],
    ['a plan that was denied', { todos: [{ content: 'x', status: 'pending' }], bad: true }, undefined, []],
  ])('acp 90: %s is reported correctly', async (_name, input, failure, expected) => {
    const tool = createFakeTool('TodoWrite', {
      kind: 'plan',
      run: () => {
        if (failure !== undefined) throw new Error(failure)
        return { content: 'kept' }
      },
    })
    const { client, sessionId, say, model } = await openSession({ tools: [tool] })
    model.push([calls('c1', 'TodoWrite', input), finishes('tool-calls')])
    await say(sessionId, 'go')
    expect(client.kinds().filter((kind) => /^(plan|tool)/.test(kind))).toEqual(expected)
  })

  it('acp 90: a plan that needs permission is announced, so that the request can refer to it', async () => {
    const { client, sessionId, say, model } = await openSession({
      tools: [createFakeTool('TodoWrite', { effect: 'unsafe', kind: 'plan' })],
    })
    client.answer('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }))
    model.push([calls('c1', 'TodoWrite', { todos: [{ content: 'x', status: 'pending' }] }), finishes('tool-calls')])
    await say(sessionId, 'go')
    expect(client.kinds().filter((kind) => /^(plan|tool)/.test(kind))).toEqual([
      'tool_call',
      'tool_call_update',
      'tool_call_update',
      'plan',
    ])
  })
})
