import { asToolCallId } from '@polylogue/engine'
import {
  calls,
  createFakeTool,
  createMemoryEventStore,
  createTestIds,
  finishes,
  says,
  type FakeTool,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { TestClient } from '../test-support/open-door.ts'
import { findBreaches } from '../test-support/find-breaches.ts'
import { openTestDoor, type TestDoor } from '../test-support/open-test-door.ts'
import { systemClock } from '../test-support/system-clock.ts'

const [ONCE, ALWAYS, REJECT] = [0, 1, 2]

interface Gated {
  readonly door: TestDoor
  readonly client: TestClient
  readonly sessionId: Awaited<ReturnType<TestDoor['session']>>
  readonly tool: FakeTool
}

const createTool = (): FakeTool => createFakeTool('deploy', { effect: 'unsafe' })

async function gate(): Promise<Gated> {
  const tool = createTool()
  const door = await openTestDoor({ tools: [tool] })
  door.model.push([calls('a', 'deploy', { to: 'production' }), finishes('tool-calls')])
  const sessionId = await door.session()
  const client = await door.client({ isLean: false })
  await client.say(sessionId, 'go')
  return { door, client, sessionId, tool }
}

async function choose({ client, sessionId }: Gated, id: string, option: number | string) {
  const ends = client.of('chat:end').length
  const [selections, custom] = typeof option === 'number' ? [{ '0': [option] }, {}] : [{}, { '0': option }]
  const ack = await client.answer(sessionId, { tool_call_id: id, selections, custom })
  if (ack.status === 'ok') await client.until('chat:end', ends + 1)
  return ack
}

async function callOf({ door, sessionId }: Gated, id: string) {
  const turns = await door.messages(sessionId)
  return turns.flatMap(({ tool_calls }) => tool_calls).find((call) => call.id === id)
}

describe('an approval', () => {
  it('blade 88a: is a question that says exactly what will run', async () => {
    const test = await gate()
    expect(test.client.story().slice(4, 10)).toEqual([
      'add_tool_call a awaiting_answer',
      'set_tool_status a awaiting_answer',
      'add_tool_call ask_a awaiting_answer',
      'set_status paused',
      'turn:end assistant paused',
      'chat:end completed/completed',
    ])
    const { questions } = JSON.parse((await callOf(test, 'ask_a'))?.arguments ?? '')
    expect(questions).toMatchObject([
      {
        question: 'Allow deploy?\n{\n  "to": "production"\n}',
        options: [{ label: 'Allow once' }, { label: 'Always allow in this session' }, { label: 'Reject' }],
      },
    ])
    expect((await test.door.engine.readSession(test.door.user, test.sessionId)).status).toBe('waiting')
    expect(test.tool.invocations).toEqual([])
  })

  it.each(['ask_a', 'a'])(
    'blade 88b: given once by the id %s runs the call once, and the next one asks again',
    async (id) => {
      const test = await gate()
      expect(await choose(test, id, ONCE)).toMatchObject({ status: 'ok' })
      expect(await callOf(test, 'a')).toMatchObject({ status: 'done', result: 'deploy ran' })
      expect(await callOf(test, 'ask_a')).toMatchObject({ status: 'done', result: 'Allow once' })
      test.door.model.push([calls('b', 'deploy'), finishes('tool-calls')])
      await test.client.say(test.sessionId, 'again')
      expect(await callOf(test, 'b')).toMatchObject({ status: 'awaiting_answer' })
      expect(findBreaches(test.client.told, { sequence: 0 })).toEqual([])
    },
  )

  it('blade 88b: given for the session lets the next one run unasked', async () => {
    const test = await gate()
    await choose(test, 'ask_a', ALWAYS)
    test.door.model.push([calls('b', 'deploy'), finishes('tool-calls')])
    await test.client.say(test.sessionId, 'again')
    expect(await callOf(test, 'b')).toMatchObject({ status: 'done' })
    expect(test.tool.invocations).toHaveLength(2)
  })

  it.each([
    ['by its option', REJECT, 'Tool call denied'],
    ['in words', 'not on a Friday', 'Tool call denied: not on a Friday'],
  ])('blade 88b: refused %s cancels the call, and the run continues', async (_how, option, result) => {
    const test = await gate()
    await choose(test, 'ask_a', option)
    expect(await callOf(test, 'a')).toMatchObject({ status: 'cancelled', result })
    expect(test.tool.invocations).toEqual([])
    expect(test.client.of('chat:end').at(-1)).toMatchObject({ status: 'completed' })
    expect(findBreaches(test.client.told, { sequence: 0 })).toEqual([])
  })

  it('is not given by an answer that chooses nothing', async () => {
    const test = await gate()
    expect(await choose(test, 'ask_a', 3)).toMatchObject({ code: 'answer_incomplete' })
    expect(await choose(test, 'ask_a', '  ')).toMatchObject({ code: 'answer_incomplete' })
  })

  it('blade 88c: given through another door arrives as patches, without an answer of the user', async () => {
    const test = await gate()
    const { door, client, sessionId } = test
    await client.until('session:updated')
    const before = client.told.length
    const answers = [{ type: 'approval', toolCallId: asToolCallId('a'), granted: true }] as const
    await door.engine.execute({ type: 'answer-calls', userId: door.user, sessionId, answers, whenRunning: 'refuse' })
    await client.until('chat:end', 2)
    expect(client.story().slice(before, before + 7)).toEqual([
      'chat:start',
      'tool_result ask_a done',
      'set_tool_status a pending',
      'set_status streaming',
      'tool_result a done',
      'set_status completed',
      'turn:end assistant completed',
    ])
    expect(await choose(test, 'ask_a', ONCE)).toMatchObject({ code: 'no_pending_question' })
  })

  it('blade 88d: waits over a restart', async () => {
    const [store, ids] = [createMemoryEventStore({ clock: systemClock }), createTestIds()]
    const first = await openTestDoor({ store, ids, tools: [createTool()] })
    first.model.push([calls('a', 'deploy'), finishes('tool-calls')])
    const sessionId = await first.session()
    await (await first.client()).say(sessionId, 'go')
    await first.close()
    const tool = createTool()
    const door = await openTestDoor({ store, ids, tools: [tool] })
    await door.engine.start()
    const client = await door.client()
    const test = { door, client, sessionId, tool }
    expect(await callOf(test, 'ask_a')).toMatchObject({ status: 'awaiting_answer' })
    expect(await choose(test, 'ask_a', ONCE)).toMatchObject({ status: 'ok' })
    expect(tool.invocations).toHaveLength(1)
  })
})

describe('a plan', () => {
  const todos = (id: string, ...statuses: readonly string[]) =>
    calls(id, 'TodoWrite', { todos: statuses.map((status, index) => ({ content: `step ${index}`, status })) })

  it('blade 88e: is proposed by planning, approved by what follows, and kept up to date', async () => {
    const door = await openTestDoor({ tools: [createFakeTool('TodoWrite', { kind: 'plan' })] })
    const sessionId = await door.session()
    const client = await door.client({ isLean: false })
    const plans = () =>
      client
        .of('turn:end')
        .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'plan_status').map(({ content }) => content))
    const steps = (...statuses: readonly string[]) =>
      statuses.map((status, index) => ({ title: `step ${index}`, status }))
    door.model.push([todos('t1', 'pending', 'pending'), finishes('tool-calls')], [says('so I will'), finishes()])
    await client.say(sessionId, 'plan it', { mode: 'planning' })
    expect(plans()).toEqual([
      { status: 'draft', steps: steps('pending', 'pending') },
      { status: 'proposed', steps: steps('pending', 'pending') },
    ])
    door.model.push(
      [todos('t2', 'completed', 'in_progress'), finishes('tool-calls')],
      [todos('t3', 'completed', 'completed'), finishes('tool-calls')],
    )
    await client.say(sessionId, 'do it', { mode: 'executing' })
    expect(plans().slice(2)).toEqual([
      { status: 'approved', steps: steps('pending', 'pending') },
      { status: 'in_progress', steps: steps('completed', 'in_progress') },
      { status: 'done', steps: steps('completed', 'completed') },
    ])
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 88f: a failed turn says why', async () => {
    const door = await openTestDoor()
    door.model.push([{ type: 'failed', error: { code: 'overloaded', message: 'The model is down.' } }])
    const client = await door.client()
    await client.say(await door.session(), 'go')
    expect(client.of('turn:end').at(-1)).toMatchObject({
      status: 'failed',
      failure_reason: 'The model is down.',
      blocks: [{ type: 'system_notification', content: 'The model is down.' }],
    })
  })
})
