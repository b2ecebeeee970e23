import { calls, createAgentTool, createFakeTool, finishes, says, type FakeStep } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { asks, createAskTool } from '../test-support/ask-tool.ts'
import { createScripts } from '../test-support/create-scripts.ts'
import { findBreaches } from '../test-support/find-breaches.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'

const delegate = (id: string, prompt: string) => calls(id, 'Agent', { description: `${id} works`, prompt })

async function fork(scripts: { readonly [prompt: string]: readonly FakeStep[] }) {
  const tools = [createAgentTool(), createAskTool(), createFakeTool('look')]
  const door = await openTestDoor({ model: createScripts(scripts), tools })
  const sessionId = await door.session({ preset: 'full-access' })
  const client = await door.client({ isLean: false })
  await client.say(sessionId, 'go')
  expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  const turns = await door.messages(sessionId)
  const callOf = async (id: string) =>
    (await door.messages(sessionId)).flatMap(({ tool_calls }) => tool_calls).find((call) => call.id === id)
  const answer = async (id: string) => {
    const ack = await client.answer(sessionId, { tool_call_id: id, selections: { '0': [0] }, custom: {} })
    if (ack.status === 'ok') await client.until('chat:end', 2)
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
    return ack
  }
  return { door, client, sessionId, turns, callOf, answer }
}

const ONE: Parameters<typeof fork>[0] = {
  go: [[delegate('p', 'find it'), finishes('tool-calls')]],
  'find it': [
    [calls('c', 'look'), finishes('tool-calls')],
    [says('it is '), says('here'), finishes()],
  ],
}

const ASKING: Parameters<typeof fork>[0] = {
  go: [[delegate('p', 'ask them'), finishes('tool-calls')]],
  'ask them': [
    [asks('q'), finishes('tool-calls')],
    [says('they said red'), finishes()],
  ],
}

describe('a sub-agent', () => {
  it('blade 81: has turns that name its call and its loop, in patches too', async () => {
    const { turns, client } = await fork(ONE)
    const own = turns.filter(({ parent_fork_tool_call_id }) => parent_fork_tool_call_id === 'p')
    expect(own.map(({ role, status }) => `${role} ${status}`)).toEqual(['assistant completed', 'assistant completed'])
    const [loop] = new Set(own.map(({ loop_id }) => loop_id))
    expect(loop).not.toBe('root')
    const ids = new Set(own.map(({ turn_id }) => turn_id))
    const patched = client.of('turn:patch').filter(({ turn_id }) => ids.has(turn_id))
    expect(patched.length).toBeGreaterThan(3)
    expect(patched.every(({ loop_id }) => loop_id === loop)).toBe(true)
  })

  it('blade 82: is sent between the declaration and the result of its call', async () => {
    const { client, turns } = await fork(ONE)
    const ids = new Set(turns.filter((turn) => turn.parent_fork_tool_call_id === 'p').map(({ turn_id }) => turn_id))
    const own = client.told.flatMap(({ payload }, at) => ('turn_id' in payload && ids.has(payload.turn_id) ? [at] : []))
    expect(own[0]).toBeGreaterThan(client.story().indexOf('add_tool_call p pending'))
    expect(own.at(-1)).toBeLessThan(client.story().indexOf('tool_result p done'))
  })

  it('blade 83: gives its last words as the result', async () => {
    const { callOf } = await fork(ONE)
    expect(await callOf('p')).toMatchObject({ status: 'done', result: 'it is here' })
  })

  it('blade 84: works beside another one, each in its own loop, and both end before their parent', async () => {
    const { turns, client } = await fork({
      go: [[delegate('a', 'left'), delegate('b', 'right'), finishes('tool-calls')]],
      left: [[says('l'), finishes()]],
      right: [
        [calls('c', 'look'), finishes('tool-calls')],
        [says('r'), finishes()],
      ],
    })
    const loopsOf = (id: string) =>
      new Set(turns.filter((turn) => turn.parent_fork_tool_call_id === id).map(({ loop_id }) => loop_id))
    expect([...loopsOf('a'), ...loopsOf('b')].length).toBe(2)
    expect(loopsOf('a')).not.toEqual(loopsOf('b'))
    const parent = turns.find(({ tool_calls }) => tool_calls.some(({ id }) => id === 'a'))
    const ends = client.of('turn:end').map(({ turn_id }) => turn_id)
    const last = Math.max(
      ...turns.filter((turn) => turn.parent_fork_tool_call_id !== null).map((turn) => ends.indexOf(turn.turn_id)),
    )
    expect(ends.indexOf(parent?.turn_id ?? '')).toBeGreaterThan(last)
  })

  it('blade 85: that asks makes the call of its parent wait, and says for what', async () => {
    const { turns, callOf, client } = await fork(ASKING)
    const child = turns.find((turn) => turn.parent_fork_tool_call_id === 'p')
    expect(child).toMatchObject({ status: 'paused', tool_calls: [{ id: 'q', status: 'awaiting_answer' }] })
    expect(JSON.parse(child?.tool_calls[0]?.arguments ?? '')).toMatchObject({
      source_loop: { loop_name: child?.loop_id, description: 'p works' },
    })
    expect(await callOf('p')).toMatchObject({
      status: 'awaiting_answer',
      pending_question_ref: { child_loop_name: child?.loop_id, child_tool_call_id: 'q', description: 'p works' },
    })
    expect(client.story().slice(5, 13)).toEqual([
      'turn:start assistant streaming',
      'add_tool_call q awaiting_answer',
      'set_status paused',
      'turn:end assistant paused',
      'set_tool_status p awaiting_answer',
      'set_status paused',
      'turn:end assistant paused',
      'chat:end completed/completed',
    ])
  })

  it.each(['q', 'p'])('blade 86: continues when it is answered by the id %s', async (id) => {
    const { answer, callOf, client } = await fork(ASKING)
    await client.until('session:updated')
    const before = client.told.length
    expect(await answer(id)).toMatchObject({ status: 'ok' })
    expect(client.story().slice(before, before + 8)).toEqual([
      'chat:start',
      'turn:start user completed',
      'turn:end user completed',
      'set_tool_status p pending',
      'set_status streaming',
      'tool_result q done',
      'set_status completed',
      'turn:end assistant completed',
    ])
    expect(await callOf('p')).toMatchObject({ status: 'done', result: 'they said red', pending_question_ref: null })
    expect(await answer(id)).toMatchObject({ code: 'no_pending_question' })
  })

  it('blade 87: that has one of its own is the parent of its turns', async () => {
    const { turns, callOf } = await fork({
      go: [[delegate('a', 'outer'), finishes('tool-calls')]],
      outer: [
        [delegate('b', 'inner'), finishes('tool-calls')],
        [says('outer done'), finishes()],
      ],
      inner: [[says('inner done'), finishes()]],
    })
    const texts = turns
      .filter((turn) => turn.parent_fork_tool_call_id === 'b')
      .flatMap(({ blocks }) => blocks.map(({ content }) => content))
    expect(texts).toEqual(['inner done'])
    expect(await callOf('a')).toMatchObject({ status: 'done', result: 'outer done' })
  })

  it('that asks from two levels below is answered by the id of the outermost call', async () => {
    const { answer, callOf } = await fork({
      go: [[delegate('a', 'outer'), finishes('tool-calls')]],
      outer: [
        [delegate('b', 'ask them'), finishes('tool-calls')],
        [says('outer done'), finishes()],
      ],
      'ask them': [
        [asks('q'), finishes('tool-calls')],
        [says('inner done'), finishes()],
      ],
    })
    expect(await callOf('a')).toMatchObject({
      status: 'awaiting_answer',
      pending_question_ref: { child_tool_call_id: 'q' },
    })
    expect(await answer('a')).toMatchObject({ status: 'ok' })
    expect(await callOf('a')).toMatchObject({ status: 'done', result: 'outer done' })
  })

  it('blade 88: that fails is an error of its call, and the run continues', async () => {
    const { callOf, client, turns } = await fork({
      go: [[delegate('p', 'fail'), finishes('tool-calls')]],
      fail: [[says('half'), { type: 'failed', error: { code: 'down', message: 'The model is down.' } }]],
    })
    expect(turns.find((turn) => turn.parent_fork_tool_call_id === 'p')).toMatchObject({ status: 'failed' })
    expect((await callOf('p'))?.status).toBe('error')
    expect(client.of('system:error')).toEqual([])
    expect(client.of('chat:end')).toMatchObject([{ status: 'completed' }])
  })
})
