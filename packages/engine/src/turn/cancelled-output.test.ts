import { calls, createFakeTool, finishes, says, startSession, untilQuiet } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { asToolCallId } from '../index.ts'

/** Shows two lines, then hangs until it is stopped. */
const build = () =>
  createFakeTool('build', {
    effect: 'unsafe',
    run: ({ progress, signal }) => {
      progress('one\n')
      progress('two\n')
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
      })
    },
  })

const KEPT = 'one\ntwo\n\n[Tool call cancelled. This is the output until then.]'

async function startBuild(tool = build()) {
  const test = await startSession({ tools: [tool] })
  test.model.push([calls('a', 'build'), finishes('tool-calls')], [says('ok'), finishes()], [says('ok'), finishes()])
  await test.say('go')
  await untilQuiet()
  return test
}

describe('output of a call before it was cancelled', () => {
  it('stays in the log, and the model reads it in the next turn', async () => {
    const test = await startBuild()
    await test.cancel()
    await test.untilRest()
    expect((await test.events()).find(({ type }) => type === 'tool-call.settled')).toMatchObject({
      status: 'cancelled',
      output: KEPT,
    })
    await test.say('what did it print?')
    await test.untilRest()
    expect(test.model.requests.at(-1)?.messages.find(({ role }) => role === 'tool')).toMatchObject({ content: KEPT })
  })

  it('stays when only the call is cancelled and the turn continues', async () => {
    const test = await startBuild()
    const { sessionId, user: userId } = test
    const toolCallId = asToolCallId('a')
    await test.engine.execute({ type: 'cancel-call', userId, sessionId, toolCallId, reason: 'user' })
    await test.untilRest()
    expect((await test.events()).find(({ type }) => type === 'tool-call.settled')).toMatchObject({ output: KEPT })
    expect((await test.view()).lastOutcome).toBe('finished')
  })

  it('is nothing for a call that has shown nothing', async () => {
    const silent = createFakeTool('build', { run: () => new Promise(() => undefined) })
    const test = await startBuild(silent)
    await test.cancel()
    await test.untilRest()
    expect((await test.events()).find(({ type }) => type === 'tool-call.settled')).toMatchObject({
      output: 'Tool call cancelled',
    })
  })
})
