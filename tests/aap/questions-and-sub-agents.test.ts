import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { inBlocks, pendingCalls } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'

const MODES = ['delta', 'message', 'none'] as const
const QUESTION = { questions: [{ question: 'Which one?', options: [{ label: 'Red' }, { label: 'Blue' }] }] }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

describe.each(DIALECTS)('questions at $base', (dialect) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)
  const tools = [{ name: 'AskUserQuestion' }]
  const asking = (id: string) => script(call(id, 'AskUserQuestion', QUESTION))

  it(`aap 110a${mark}: a question waits, and a tool message answers it`, async () => {
    for (const mode of MODES) {
      const session = await openSession(client(), { tools })
      const asked = await session.play(mode, asking('q'))
      expect(asked).toMatchObject({ stopReason: 'tool_use', results: [] })
      expect(asked.calls).toEqual([{ toolCallId: 'q', name: 'AskUserQuestion', input: QUESTION }])
      const answered = await session.play(mode, [{ role: 'tool', toolCallId: 'q', content: 'Blue' }])
      expect(answered).toMatchObject({ stopReason: 'end_turn', text: 'RESULTS 1: Blue' })
    }
  })

  it(`aap 110a${mark}: a grant has the model ask in its text, a denial is the denial text`, async () => {
    const session = await openSession(client(), { tools })
    await session.turn(asking('q'))
    const granted = await session.play('none', [{ role: 'tool_permission', toolCallId: 'q', granted: true }])
    expect(granted).toMatchObject({
      stopReason: 'end_turn',
      text: 'RESULTS 1: The user cannot answer this question here. Ask it in your text instead.',
    })
    await session.turn(asking('r'))
    const denied = await session.play('none', [
      { role: 'tool_permission', toolCallId: 'r', granted: false, reason: 'busy' },
    ])
    expect(denied).toMatchObject({ stopReason: 'end_turn', text: 'RESULTS 1: Tool call denied: busy' })
  })
})

describe.each(DIALECTS)('a sub-agent at $base', (dialect) => {
  const client = (): AapClient => server.client(dialect)
  const tools = [{ name: 'Agent', trust: true }, { name: 'echo' }]
  const delegating = (id: string, inner: string) =>
    script(
      call('a', 'Agent', { description: 'Look', prompt: script(call(id, 'echo', { msg: inner }), NEXT, 'say found') }),
    )
  const grant = (toolCallId: string) => ({ role: 'tool_permission' as const, toolCallId, granted: true })

  it('shows a waiting call of its own in the message of its parent, then its result', async () => {
    for (const mode of MODES) {
      const session = await openSession(client(), { tools })
      const asked = await session.play(mode, delegating('inner', 'hi'))
      expect(asked.stopReason).toBe('tool_use')
      expect(asked.calls.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'inner'])
      const answered = await session.play(mode, [grant('inner')])
      expect(answered).toMatchObject({
        stopReason: 'end_turn',
        results: [
          { toolCallId: 'inner', content: 'hi' },
          { toolCallId: 'a', content: 'found' },
        ],
        text: 'RESULTS 1: found',
      })
      const talk = await session.talk()
      expect(talk.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
      expect(inBlocks(talk.slice(1, 2))).toMatchObject([{ content: [{ toolCallId: 'a' }, { toolCallId: 'inner' }] }])
    }
  })

  it('is found waiting in the history by a client that lost its state', async () => {
    const session = await openSession(client(), { tools })
    await session.turn(delegating('inner', 'hi'))
    const later = attachSession(client(), session.id)
    for (const type of ['full', 'compacted'] as const) {
      if (dialect.name === 'v1' && type === 'compacted') continue
      expect(pendingCalls(await later.history(type)).map(({ toolCallId }) => toolCallId)).toContain('inner')
    }
    expect(await later.turn([grant('inner')])).toMatchObject({ stopReason: 'end_turn' })
  })

  it('has no tool that the session was not given', async () => {
    const session = await openSession(client(), { tools: [{ name: 'Agent', trust: true }] })
    const prompt = script(call('inner', 'echo', { msg: 'hi' }))
    const played = await session.play('none', script(call('a', 'Agent', { description: 'Look', prompt })))
    expect(played.text).toBe('RESULTS 1: RESULTS 1: Error: the tool echo is not enabled in this session')
  })
})
