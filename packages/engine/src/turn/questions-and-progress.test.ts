import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeTool,
  createQuestionTool,
  deny,
  finishes,
  grant,
  restart,
  result,
  untilQuiet,
} from '@polylogue/testkit'
import { startWith, pay, settled } from './test-support/judged-session.ts'

describe('a question to the user', () => {
  const asking = [calls('q', 'Ask', { question: 'Which?' }), finishes('tool-calls')]

  it('waits, survives a restart, and takes the answer as its result', async () => {
    const first = await startWith([createQuestionTool()], {}, { access: { type: 'preset' }, preset: 'read-only' })
    first.model.push(asking)
    await first.say('go')
    await first.untilRest()
    const second = await restart(first, { tools: [createQuestionTool()] })
    expect(await second.view()).toMatchObject({ status: 'waiting', waitingCalls: ['q'] })
    await second.answer(result('q', 'the blue one'))
    await second.untilRest()
    expect(settled(await second.events())).toEqual(['q completed: the blue one'])
    await expect(second.answer(result('q', 'no, the red one'))).rejects.toThrow('already resolved')
  })

  it('that only gets a permission is put into the text instead; a denial is its result', async () => {
    const test = await startWith([createQuestionTool()])
    test.model.push(asking, [calls('r', 'Ask'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    await test.answer(grant('q'))
    await test.untilRest()
    await test.answer(deny('r', 'busy'))
    await test.untilRest()
    expect(settled(await test.events())).toEqual([
      'q completed: The user cannot answer this question here. Ask it in your text instead.',
      'r denied: Tool call denied: busy',
    ])
  })
})

describe('one call that is cancelled', () => {
  it('ends while the turn continues, whether it runs or waits', async () => {
    const gate = Promise.withResolvers<void>()
    const slow = createFakeTool('slow', { run: async () => (await gate.promise, { content: 'too late' }) })
    const test = await startWith([slow, pay()])
    test.model.push([calls('a', 'slow'), calls('b', 'pay'), finishes('tool-calls')])
    await test.say('go')
    await untilQuiet()
    const { sessionId, user: userId } = test
    for (const toolCallId of ['a', 'b'] as never[])
      await test.engine.execute({ type: 'cancel-call', userId, sessionId, toolCallId, reason: 'enough' })
    await test.untilRest()
    gate.resolve()
    await untilQuiet()
    expect(settled(await test.events()).toSorted()).toEqual([
      'a cancelled: Tool call cancelled',
      'b cancelled: Tool call cancelled: enough',
    ])
    expect((await test.view()).lastOutcome).toBe('finished')
  })
})

describe('output of a tool that runs', () => {
  it('is sent live, and late readers get the past', async () => {
    const gate = Promise.withResolvers<void>()
    const tool = createFakeTool('slow', {
      run: async ({ progress }) => {
        progress('one ')
        progress('two ')
        await gate.promise
        return { content: 'done', meta: { ui: 1 }, changedFiles: [{ path: '/a', change: 'created' }] }
      },
    })
    const test = await startWith([tool])
    test.model.push([calls('a', 'slow'), finishes('tool-calls')])
    await test.say('go')
    await untilQuiet()
    const heard: string[] = []
    await test.engine.attach(test.user, test.sessionId, {
      after: { seq: 0 },
      reader: {
        recorded: () => undefined,
        delta: () => undefined,
        progress: ({ toolCallId, text }) => heard.push(`${toolCallId} ${text}`),
        closed: () => undefined,
      },
    })
    gate.resolve()
    await test.untilRest()
    expect(heard).toEqual(['a one two '])
    expect((await test.events()).find(({ type }) => type === 'tool-call.settled')).toMatchObject({
      meta: { ui: 1 },
      changedFiles: [{ path: '/a', change: 'created' }],
    })
    expect(test.model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'done' })
  })
})
