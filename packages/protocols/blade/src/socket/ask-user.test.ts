import {
  calls,
  createFakeTool,
  createMemoryEventStore,
  createTestIds,
  finishes,
  says,
  type FakeStep,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { asks, createAskTool } from '../test-support/ask-tool.ts'
import { findBreaches } from '../test-support/find-breaches.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'
import { systemClock } from '../test-support/system-clock.ts'

async function ask(step: FakeStep = [asks('q'), finishes('tool-calls')]) {
  const door = await openTestDoor({ tools: [createAskTool(), createFakeTool('t')] })
  door.model.push(step)
  const sessionId = await door.session()
  const client = await door.client({ isLean: false })
  await client.say(sessionId, 'go')
  const status = async () => (await door.engine.readSession(door.user, sessionId)).status
  /** Answers and waits for the end of what follows. */
  const answer = async (selections: Record<string, number[]>, custom: Record<string, string> = {}, message = '') => {
    const before = client.of('chat:end').length
    const ack = await client.answer(sessionId, { tool_call_id: 'q', selections, custom }, message)
    if (ack.status === 'ok') await client.until('chat:end', before + 1)
    return ack
  }
  const resultOf = async (id: string) =>
    (await door.messages(sessionId)).flatMap(({ tool_calls }) => tool_calls).find((call) => call.id === id)
  return { door, client, sessionId, status, answer, resultOf }
}

describe('a question', () => {
  it('blade 69: waits for its answer, with arguments that can be read', async () => {
    const { resultOf } = await ask()
    const call = await resultOf('q')
    expect(call).toMatchObject({ tool_name: 'AskUserQuestion', status: 'awaiting_answer', result: null })
    expect(JSON.parse(call?.arguments ?? '')).toEqual({
      questions: [{ question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }],
    })
  })

  it('blade 70: pauses its turn and ends the run, and the session waits', async () => {
    const { client, status } = await ask()
    expect(client.of('turn:end').at(-1)).toMatchObject({ role: 'assistant', status: 'paused' })
    expect(client.of('chat:end')).toMatchObject([{ status: 'completed', finish_reason: 'completed' }])
    expect(await status()).toBe('waiting')
  })

  it('runs the other calls of its turn first', async () => {
    const { client } = await ask([asks('q'), calls('a', 't'), finishes('tool-calls')])
    const story = client.story()
    expect(story.indexOf('tool_result a done')).toBeLessThan(story.indexOf('set_status paused'))
  })

  it('blade 71: that is answered completes its turn, and a new one follows', async () => {
    const { client, answer, resultOf } = await ask()
    await client.until('session:updated')
    const before = client.told.length
    expect(await answer({ '0': [1] })).toMatchObject({ status: 'ok', queued: false })
    expect(client.story().slice(before)).toEqual([
      'chat:start',
      'turn:start user completed',
      'turn:end user completed',
      'tool_result q done',
      'set_status completed',
      'turn:end assistant completed',
      'turn:start assistant streaming',
      'add_content text',
      'set_status completed',
      'turn:end assistant completed',
      'chat:end completed/completed',
    ])
    expect(await resultOf('q')).toMatchObject({ status: 'done', result: 'Blue' })
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 72: shows the answer as a turn of the user', async () => {
    const { client, answer } = await ask()
    await answer({ '0': [0] }, { '0': 'a dark one' })
    const turn = client.of('turn:end').findLast(({ role }) => role === 'user')
    expect(turn?.blocks).toEqual([
      {
        type: 'ask_user_answer',
        content: { tool_call_id: 'q', selections: { '0': [0] }, custom: { '0': 'a dark one' } },
        tool_call_id: null,
        tool_name: null,
        display_name: null,
      },
    ])
  })

  it('blade 73: takes words instead of options, and several options where it may', async () => {
    const { answer, door } = await ask([asks('q', 2), finishes('tool-calls')])
    await answer({ '1': [0, 2] }, { '0': 'green' })
    const said = JSON.stringify(door.model.requests[1]?.messages)
    expect(said).toContain(JSON.stringify('Which colour?\ngreen\n\nWhich sizes?\nS, L'))
  })

  it('gives the model the words that come with an answer instead of the choices', async () => {
    const { answer, resultOf } = await ask()
    await answer({ '0': [0] }, {}, 'the red one, please')
    expect(await resultOf('q')).toMatchObject({ result: 'the red one, please' })
  })

  it('blade 74: is not answered by an answer to something else', async () => {
    const { client, sessionId, status } = await ask()
    const ack = await client.answer(sessionId, { tool_call_id: 'other', selections: { '0': [0] }, custom: {} })
    expect(ack).toMatchObject({ status: 'error', code: 'no_pending_question' })
    expect(await status()).toBe('waiting')
  })

  it.each([
    ['blade 75: nothing', {}, {}],
    ['blade 75: an option that is not there', { '0': [7], '1': [0] }, {}],
    ['blade 75: half', { '0': [0] }, {}],
    ['blade 75: blanks', { '1': [0] }, { '0': '  ' }],
    ['blade 77: two options where one is asked for', { '0': [0, 1], '1': [0] }, {}],
  ] as const)('is not answered by %s', async (_what, selections, custom) => {
    const { answer, status } = await ask([asks('q', 2), finishes('tool-calls')])
    const chosen = Object.fromEntries(Object.entries(selections).map(([key, indexes]) => [key, [...indexes]]))
    expect(await answer(chosen, custom)).toMatchObject({ status: 'error', code: 'answer_incomplete' })
    expect(await status()).toBe('waiting')
  })

  it('blade 76: is answered once', async () => {
    const { answer } = await ask()
    expect(await answer({ '0': [0] })).toMatchObject({ status: 'ok' })
    expect(await answer({ '0': [1] })).toMatchObject({ status: 'error', code: 'no_pending_question' })
  })

  it('blade 76: is answered once by an answer that is sent again, which finds its run', async () => {
    const { door, client, sessionId } = await ask()
    const goOn = Promise.withResolvers<void>()
    door.model.push([says('blue '), () => goOn.promise, says('it is'), finishes()])
    const askuser_answer = { tool_call_id: 'q', selections: { '0': [1] }, custom: {} }
    const first = await client.send(sessionId, '', { askuser_answer, client_message_id: 'one' })
    await client.untilStory('turn:start assistant streaming', 2)
    expect(first).toMatchObject({ status: 'ok', queued: false })
    expect(await client.send(sessionId, '', { askuser_answer, client_message_id: 'one' })).toEqual(first)
    goOn.resolve()
    await client.until('chat:end', 2)
    expect(await client.send(sessionId, '', { askuser_answer, client_message_id: 'one' })).toEqual(first)
    expect(client.of('system:error')).toEqual([])
    const another = { ...askuser_answer, selections: { '0': [0] } }
    expect(await client.send(sessionId, '', { askuser_answer: another, client_message_id: 'one' })).toMatchObject({
      code: 'invalid_payload',
    })
    expect(await client.send(sessionId, '', { askuser_answer, client_message_id: 'two' })).toMatchObject({
      code: 'no_pending_question',
    })
    expect(client.of('chat:start')).toHaveLength(2)
  })

  it.each([
    ['model', { model: 'fake/other' }],
    ['headless', { headless: true }],
    ['output_schema', { output_schema: { type: 'object' } }],
  ])('is not answered together with a %s, which could not be honoured', async (field, options) => {
    const { client, sessionId, status } = await ask()
    const askuser_answer = { tool_call_id: 'q', selections: { '0': [1] }, custom: {} }
    const ack = await client.send(sessionId, '', { askuser_answer, ...options })
    expect(ack).toMatchObject({ code: 'invalid_payload', message: expect.stringMatching(`^${field}: `) })
    expect(await status()).toBe('waiting')
  })

  it('is answered while the model is answering', async () => {
    const { client, sessionId } = await ask()
    const askuser_answer = { tool_call_id: 'q', selections: { '0': [1] }, custom: {} }
    const options = { askuser_answer, model: 'fake/model', headless: false }
    expect(await client.send(sessionId, '', options)).toMatchObject({ status: 'ok' })
  })

  it.each(['selections', 'custom'])('is answered where %s is null', async (field) => {
    const { client, sessionId } = await ask()
    const given = { selections: { '0': [1] }, custom: { '0': 'a dark one' }, [field]: null }
    const payload = { session_id: sessionId, message: '', askuser_answer: { tool_call_id: 'q', ...given } }
    expect(await client.socket.emitWithAck('chat:send', payload)).toMatchObject({ status: 'ok' })
  })

  it('blade 78: is cancelled by a plain message, which then runs', async () => {
    const { client, sessionId, resultOf } = await ask()
    await client.until('session:updated')
    const before = client.told.length
    await client.say(sessionId, 'never mind')
    expect(client.story().slice(before, before + 7)).toEqual([
      'chat:start',
      'tool_result q cancelled',
      'set_status completed',
      'turn:end assistant completed',
      'turn:start user completed',
      'turn:end user completed',
      'turn:start assistant streaming',
    ])
    expect((await resultOf('q'))?.result).toContain('superseded')
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 79: waits over a restart, and can be answered after it', async () => {
    const [store, ids] = [createMemoryEventStore({ clock: systemClock }), createTestIds()]
    const first = await openTestDoor({ store, ids, tools: [createAskTool()] })
    first.model.push([asks('q'), finishes('tool-calls')])
    const sessionId = await first.session()
    const client = await first.client()
    await client.say(sessionId, 'go')
    await first.close()
    const second = await openTestDoor({ store, ids, tools: [createAskTool()] })
    await second.engine.start()
    second.model.push([says('blue it is'), finishes()])
    const later = await second.client()
    const ack = await later.answer(sessionId, { tool_call_id: 'q', selections: { '0': [1] }, custom: {} })
    expect(ack).toMatchObject({ status: 'ok' })
    await later.until('chat:end')
    const turns = await second.messages(sessionId)
    expect(turns.map(({ role, status }) => `${role} ${status}`)).toEqual([
      'user completed',
      'assistant completed',
      'user completed',
      'assistant completed',
    ])
  })

  it('blade 80: does not change the mode', async () => {
    const { door, client, sessionId, answer } = await ask()
    await answer({ '0': [0] })
    door.model.push([asks('q2'), finishes('tool-calls')])
    await client.say(sessionId, 'plan it', { mode: 'planning' })
    const ends = client.of('chat:end').length
    await client.answer(sessionId, { tool_call_id: 'q2', selections: { '0': [0] }, custom: {} })
    await client.until('chat:end', ends + 1)
    expect((await door.engine.readSession(door.user, sessionId)).preset).toBe('plan')
  })
})
