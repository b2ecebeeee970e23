import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS } from '../support/aap-dialect.ts'
import type { Permission, ToolCall, ToolMessage } from '../support/aap-wire.ts'
import { NEXT, call, script } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type SessionLoop, denyAll, essence, findPending, grantAll, openSessionLoop } from './session-loop.ts'

const MODES = ['delta', 'message', 'none'] as const
const QUESTION = { questions: [{ question: 'Which one?', options: [{ label: 'Red' }, { label: 'Blue' }] }] }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const combinations = DIALECTS.flatMap((dialect) => MODES.map((mode) => ({ base: dialect.base, dialect, mode })))

describe.each(combinations)('a trusted sub-agent that waits, in $mode at $base', ({ dialect, mode }) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)
  const clientTools = [dialect.tool('weather', '', {})]
  const open = (tools = [{ name: 'Agent', trust: true }, { name: 'echo' }, { name: 'AskUserQuestion' }]) =>
    openSessionLoop(client(), mode, { tools: [...tools, { name: 'boom', trust: true }], clientTools })

  /** Waits once for `echo`, then for a second one, then says `found`. */
  const delegate = (id: string, ...inner: string[]) =>
    call(id, 'Agent', {
      description: 'Look',
      prompt: script(...inner.flatMap((name) => [call(name, 'echo', { msg: name }), NEXT]), 'say found'),
    })
  const idsOf = (calls: readonly ToolCall[]) => calls.map(({ toolCallId }) => toolCallId)
  const resultsOf = (loop: SessionLoop) =>
    Object.fromEntries(
      loop.history.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message.content]] : [])),
    )
  const user = (content: string) => [{ role: 'user' as const, content }]

  async function expectSameHistory(loop: SessionLoop) {
    expect((await client().history(loop.id, 'full')).map(essence)).toEqual(loop.history.map(essence))
  }

  async function expectSamePending(loop: SessionLoop, ids: readonly string[]) {
    for (const type of ['full', 'compacted'] as const) {
      const { client: own, server: theirs } = findPending(await client().history(loop.id, type), new Set(['weather']))
      expect(idsOf([...own, ...theirs]).filter((id) => id !== 's1')).toEqual(ids)
    }
  }

  it(`aap 110e${mark}: takes a grant of its own running call for nothing, and continues`, async () => {
    const loop = await open()
    expect(await loop.play(script(delegate('s1', 'in')), grantAll)).toEqual(['tool_use', 'end_turn'])
    expect(resultsOf(loop)).toEqual({ in: 'in', s1: 'found' })
    await expectSameHistory(loop)
  })

  it(`aap 110d${mark}: has all waiting calls in the last assistant message, whatever else its step did`, async () => {
    const loop = await open()
    const { pending, stopReason } = await loop.send(
      user(
        script(
          'say both',
          delegate('s1', 'in'),
          call('b', 'boom'),
          call('c', 'weather'),
          call('e', 'echo', { msg: 'own' }),
          call('q', 'AskUserQuestion', QUESTION),
        ),
      ),
    )
    expect(stopReason).toBe('tool_use')
    expect(idsOf(pending.client)).toEqual(['c'])
    expect(idsOf(pending.server).filter((id) => id !== 's1')).toEqual(['e', 'q', 'in'])
    await expectSamePending(loop, ['c', 'e', 'q', 'in'])
    expect((await loop.send(grantAll(pending))).stopReason).toBe('end_turn')
    expect(Object.keys(resultsOf(loop)).sort()).toEqual(['b', 'c', 'e', 'in', 'q', 's1'])
    await expectSameHistory(loop)
  })

  it('that waits twice shows the second call alone', async () => {
    const loop = await open()
    expect(await loop.play(script(delegate('s1', 'in', 'two')), grantAll)).toEqual(['tool_use', 'tool_use', 'end_turn'])
    expect(resultsOf(loop)).toEqual({ in: 'in', two: 'two', s1: 'found' })
    await expectSameHistory(loop)
  })

  it('shows calls again that a client left open, so that the last message has them all', async () => {
    const loop = await open()
    await loop.send(user(script(delegate('s1', 'in', 'two'), call('c', 'weather'))))
    const grant: Permission = { role: 'tool_permission', toolCallId: 'in', granted: true }
    const { pending } = await loop.send([grant])
    expect(idsOf(pending.client)).toEqual(['c'])
    expect(idsOf(pending.server)).toEqual(['two'])
    await expectSamePending(loop, ['c', 'two'])
    const answer: ToolMessage = { role: 'tool', toolCallId: 'c', content: 'sunny' }
    const { stopReason } = await loop.send([answer, { ...grant, toolCallId: 'two' }])
    expect(stopReason).toBe('end_turn')
    await expectSameHistory(loop)
  })

  it('ends when its own call is denied, with everything below it', async () => {
    const loop = await open()
    expect(await loop.play(script(delegate('s1', 'in'), call('c', 'weather')), denyAll)).toEqual([
      'tool_use',
      'end_turn',
    ])
    expect(resultsOf(loop)).toEqual({
      s1: 'Tool call denied',
      in: 'Tool call cancelled: its sub-agent was denied',
      c: 'Tool call denied',
    })
    await expectSameHistory(loop)
  })

  it('ends with the call of its parent, whatever was answered below it', async () => {
    const loop = await open()
    await loop.send(user(script(delegate('s1', 'in'))))
    const { stopReason } = await loop.send([
      { role: 'tool_permission', toolCallId: 'in', granted: true },
      { role: 'tool_permission', toolCallId: 's1', granted: false, reason: 'too slow' },
    ])
    expect(stopReason).toBe('end_turn')
    expect(resultsOf(loop)['s1']).toBe('Tool call denied: too slow')
    await expectSameHistory(loop)
  })

  it('with other calls waits with them', async () => {
    const loop = await open()
    const { pending } = await loop.send(
      user(script(delegate('s1', 'one'), delegate('s2', 'two'), delegate('s3'), call('b', 'boom'))),
    )
    expect(idsOf(pending.server).filter((id) => !id.startsWith('s'))).toEqual(['one', 'two'])
    expect((await loop.send(grantAll(pending))).stopReason).toBe('end_turn')
    expect(Object.keys(resultsOf(loop)).sort()).toEqual(['b', 'one', 's1', 's2', 's3', 'two'])
    await expectSameHistory(loop)
  })

  it('inside another one is found as well', async () => {
    const loop = await open()
    const inner = script(
      call('s2', 'Agent', {
        description: 'Deeper',
        prompt: script(call('deep', 'echo', { msg: 'd' }), NEXT, 'say ok'),
      }),
      NEXT,
      'say done',
    )
    const outer = script(call('s1', 'Agent', { description: 'Look', prompt: inner }))
    expect(await loop.play(outer, grantAll)).toEqual(['tool_use', 'end_turn'])
    expect(resultsOf(loop)).toEqual({ deep: 'd', s1: 'done' })
    await expectSameHistory(loop)
  })

  it('that asks a question is answered by a permission, too', async () => {
    for (const answer of [grantAll, denyAll]) {
      const loop = await open()
      const prompt = script(call('q', 'AskUserQuestion', QUESTION), NEXT, 'say asked')
      await loop.play(script(call('s1', 'Agent', { description: 'Ask', prompt })), answer)
      expect(Object.keys(resultsOf(loop)).sort()).toEqual(['q', 's1'])
      await expectSameHistory(loop)
    }
  })
})
