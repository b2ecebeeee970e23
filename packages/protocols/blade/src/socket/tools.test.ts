import { calls, createFakeTool, finishes, says, type FakeStep } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { Tool, ToolOutput } from '@polylogue/engine'
import { findBreaches } from '../test-support/find-breaches.ts'
import type { DoorOptions } from '../test-support/open-door.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'

async function run(tools: readonly Tool[], steps: readonly FakeStep[], options: DoorOptions = {}) {
  const door = await openTestDoor({ tools, ...options })
  door.model.push(...steps)
  const sessionId = await door.session()
  const client = await door.client({ isLean: false })
  await client.say(sessionId, 'go')
  expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  const [turn] = client.of('turn:end').filter(({ role }) => role === 'assistant')
  if (turn === undefined) throw new Error('the assistant says something')
  return { door, client, sessionId, turn }
}

const returns = (name: string, output: ToolOutput): Tool => createFakeTool(name, { run: () => output })

const CARD = { resourceHTML: '<!doctype html><p>hi</p>', target: 'inline', height: 320, title: 'Card' } as const
const BRIDGE = { action: 'map.highlight', payload: { cityIds: ['hangzhou'] } } as const

describe('a tool call', () => {
  it('blade 56: is declared with its input as JSON text', async () => {
    const bash = createFakeTool('Bash')
    const { client } = await run(
      [bash],
      [[says('x'), calls('a', 'Bash', { command: 'ls -la' }), finishes('tool-calls')]],
    )
    const [added] = client
      .of('turn:patch')
      .flatMap((patch) => (patch.patch_type === 'add_tool_call' ? [patch.data] : []))
    const { turn: _, ...data } = added ?? {}
    expect(data).toEqual({
      id: 'a',
      tool_name: 'Bash',
      display_name: 'Run a command',
      arguments: '{"command":"ls -la"}',
      status: 'pending',
    })
  })

  it('blade 57: ends with its result and how long it took', async () => {
    const { client, turn } = await run([createFakeTool('t')], [[calls('a', 't'), finishes('tool-calls')]])
    const [settled] = client
      .of('turn:patch')
      .flatMap((patch) => (patch.patch_type === 'tool_result' ? [patch.data] : []))
    expect(settled).toMatchObject({ tool_call_id: 'a', result: 't ran', status: 'done' })
    expect(settled?.duration_ms).toBeGreaterThanOrEqual(0)
    expect(turn.tool_calls).toMatchObject([{ id: 'a', status: 'done', result: 't ran', pending_question_ref: null }])
    expect(turn.tool_calls[0]?.duration_ms).toBe(settled?.duration_ms)
  })

  it.each(['boom', 'nowhere'])('blade 58: that fails is an error in words, and the run continues: %s', async (name) => {
    const boom = createFakeTool('boom', { run: () => Promise.reject(new Error('it broke')) })
    const { client, turn } = await run([boom], [[calls('a', name), finishes('tool-calls')]])
    expect(turn.tool_calls).toMatchObject([{ status: 'error' }])
    expect(turn.tool_calls[0]?.result).toMatch(/it broke|no tool called nowhere/)
    expect(client.of('chat:end')).toMatchObject([{ status: 'completed' }])
  })

  it('blade 59: appears in its turn as a use and a result', async () => {
    const { turn } = await run([createFakeTool('t')], [[calls('a', 't', { n: 1 }), finishes('tool-calls')]])
    const ofCall = { tool_call_id: 'a', tool_name: 't', display_name: 't' }
    expect(turn.blocks).toEqual([
      { type: 'tool_use', content: { n: 1 }, ...ofCall },
      { type: 'tool_result', content: 't ran', ...ofCall },
    ])
  })

  it('blade 60: is followed by a turn of its own', async () => {
    const { client } = await run([createFakeTool('t')], [[calls('a', 't'), finishes('tool-calls')]])
    expect(client.of('turn:end').map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant'])
  })

  it('blade 61: keeps its place among others, in any order of their ends', async () => {
    const first = Promise.withResolvers<ToolOutput>()
    const slow = createFakeTool('slow', { run: () => first.promise })
    const quick = createFakeTool('quick', {
      run: () => {
        queueMicrotask(() => first.resolve({ content: 'at last' }))
        return { content: 'at once' }
      },
    })
    const step = [calls('a', 'slow'), calls('b', 'quick'), finishes('tool-calls')]
    const { client, turn } = await run([slow, quick], [step])
    expect(client.story().filter((line) => line.startsWith('tool_result'))).toEqual([
      'tool_result b done',
      'tool_result a done',
    ])
    expect(turn.tool_calls.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('blade 62: that writes a file names it', async () => {
    const changedFiles = [
      { path: '/work/src/a.ts', change: 'created' },
      { path: '/elsewhere/b.ts', change: 'modified' },
    ] as const
    const { client } = await run(
      [returns('w', { content: 'ok', changedFiles })],
      [[calls('a', 'w'), finishes('tool-calls')]],
    )
    expect(client.of('workspace:files_changed').map(({ file_path }) => file_path)).toEqual([
      'src/a.ts',
      '/elsewhere/b.ts',
    ])
  })

  it('blade 63: of which there are too many ends the run at its limit', async () => {
    const steps = Array.from({ length: 3 }, (_, index) => [calls(`c${index}`, 't', { index }), finishes('tool-calls')])
    const { client } = await run([createFakeTool('t')], steps, { maxSteps: 2 })
    expect(client.of('chat:end')).toMatchObject([{ status: 'completed', finish_reason: 'max_turns' }])
    expect(client.of('system:notification')).toMatchObject([{ notification_type: 'max_turns', status: 'warning' }])
  })

  it('that fail again and again in the same way end the run with tool_error', async () => {
    const steps = Array.from({ length: 9 }, (_, index) => [calls(`c${index}`, 't', { index }), finishes('tool-calls')])
    const { client } = await run([returns('t', { content: 'no such host', isError: true })], steps)
    expect(client.of('chat:end')).toMatchObject([{ status: 'failed', result: null, finish_reason: 'tool_error' }])
    expect(client.of('system:error')).toMatchObject([{ code: 'tool_error', detail: 'tool-failure' }])
  })
})

describe("a tool's messages to the page", () => {
  it('blade 64: an action is one block', async () => {
    const tool = returns('t', { content: '{"ok":true}', meta: { bridge: BRIDGE } })
    const { turn } = await run([tool], [[calls('a', 't'), finishes('tool-calls')]])
    expect(turn.blocks.map(({ type }) => type)).toEqual(['tool_use', 'tool_result', 'tool_bridge'])
    expect(turn.blocks[2]).toMatchObject({ content: BRIDGE, tool_call_id: 'a', tool_name: 't' })
  })

  it('blade 65: a card is one block, unless it has two resources or none, or no place', async () => {
    const both = { ...CARD, resourceUri: 'https://example.org' }
    const { resourceHTML: _, ...none } = CARD
    const cards = [CARD, both, none, { ...CARD, target: 'elsewhere' }]
    const tools = cards.map((ui, index) => returns(`t${index}`, { content: 'shown', meta: { ui } }))
    const step = [...cards.map((_card, index) => calls(`c${index}`, `t${index}`)), finishes('tool-calls')]
    const { turn } = await run(tools, [step])
    const shown = turn.blocks.filter(({ type }) => type === 'tool_ui')
    expect(shown).toMatchObject([{ content: CARD, tool_call_id: 'c0' }])
  })

  it('blade 66: is in the result, and the model never sees it', async () => {
    const tool = returns('t', { content: '{"ok":true}', meta: { bridge: BRIDGE } })
    const { door, turn } = await run([tool], [[calls('a', 't'), finishes('tool-calls')]])
    expect(turn.tool_calls[0]?.result).toEqual({ ok: true, _meta: { bridge: BRIDGE } })
    expect(JSON.stringify(door.model.requests[1]?.messages)).not.toContain('_meta')
  })

  it('blade 67: an action and a card give both blocks', async () => {
    const tool = returns('t', { content: 'shown', meta: { bridge: BRIDGE, ui: CARD, other: 1 } })
    const { turn } = await run([tool], [[calls('a', 't'), finishes('tool-calls')]])
    expect(turn.blocks.slice(2).map(({ type, content }) => [type, content])).toEqual([
      ['tool_bridge', BRIDGE],
      ['tool_ui', CARD],
    ])
    expect(turn.tool_calls[0]?.result).toEqual({ output: 'shown', _meta: { bridge: BRIDGE, ui: CARD, other: 1 } })
  })
})

describe('the end of an answer', () => {
  it.each([
    ['token-limit', 'The answer was cut off at the model’s length limit.'],
    ['refused', 'The model declined to answer.'],
  ] as const)('that is no ordinary one is said in its turn: %s', async (finish, note) => {
    const { client, turn } = await run([], [[says('half'), finishes(finish)]])
    expect(turn.blocks.at(-1)).toMatchObject({ type: 'system_notification', content: note })
    expect(client.of('chat:end')).toMatchObject([{ status: 'completed', finish_reason: 'completed' }])
  })
})
