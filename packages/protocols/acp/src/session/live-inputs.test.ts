import type { ModelOutput } from '@polylogue/engine'
import { calls, createFakeParts, createFakeTool, finishes, hangs, loadAcpFrameChecker, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))
const piece = (text: string, id = 'c1', name = 'write'): ModelOutput => ({ type: 'tool-input', id, name, text })
const retry: ModelOutput = {
  type: 'retry',
  error: { code: 'model-busy', message: 'The model is busy.' },
  delayMs: 2_400,
}

function openWriting() {
  return open({ tools: [createFakeTool('write', { kind: 'edit' })] })
}

describe('a call that the model is writing', () => {
  it('acp finding 6: appears with its first piece, and its input follows', async () => {
    const world = openWriting()
    const { client, newSession } = await world.connect()
    const sessionId = await newSession()
    const written = Promise.withResolvers<void>()
    world.model.push([piece(''), piece('{"path":"a'), piece('.ts","te'), () => written.resolve(), hangs])
    const prompt = client.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] })
    const { params } = await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'tool_call')
    expect(params.update).toEqual({
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'write',
      name: 'write',
      kind: 'edit',
      status: 'pending',
      rawInput: {},
    })
    await written.promise
    world.clock.advance(100)
    await client.untilUpdate(({ rawInput }) => rawInput?.path === 'a.ts')
    client.notify('session/cancel', { sessionId })
    await prompt
    const ends = client.updates().filter((update) => 'status' in update && update.status === 'failed')
    expect(ends).toMatchObject([{ toolCallId: 'c1' }])
  })

  it('is the call that is recorded, and is announced once', async () => {
    const world = openWriting()
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const input = { path: 'a.ts', text: 'x' }
    world.model.push(
      [piece('{"path":"a.ts",'), piece('"text":"x"}'), calls('c1', 'write', input), finishes('tool-calls')],
      [says('done'), finishes()],
    )
    await say(sessionId, 'go')
    const shown = client.updates().filter((update) => 'toolCallId' in update)
    expect(shown).toMatchObject([
      { sessionUpdate: 'tool_call', toolCallId: 'c1', rawInput: { path: 'a.ts' } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'pending', rawInput: input },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' },
    ])
    const [answered] = (await world.recorded(sessionId)).filter((event) => event.type === 'step.answered')
    expect(answered).toMatchObject({ blocks: [{ type: 'tool-call', toolCallId: 'c1', input }] })
  })

  it('has the recorded id, even if the model reuses an id', async () => {
    const world = openWriting()
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    for (let turn = 0; turn < 2; turn++) {
      world.model.push(
        [
          piece('{}', 'same'),
          calls('same', 'write', { turn }),
          piece('{}', 'same'),
          calls('same', 'write', { turn, more: true }),
          finishes('tool-calls'),
        ],
        [says('done'), finishes()],
      )
      await say(sessionId, 'go')
    }
    const announced = client.updates().flatMap((one) => (one.sessionUpdate === 'tool_call' ? [one.toolCallId] : []))
    const made = (await world.recorded(sessionId)).flatMap((event) =>
      event.type === 'step.answered'
        ? event.blocks.flatMap((block) => (block.type === 'tool-call' ? [block.toolCallId] : []))
        : [],
    )
    expect(announced).toEqual(made)
    expect(new Set(made).size).toBe(4)
  })

  it.each([
    ['fails', [piece('{'), { type: 'failed', error: { code: 'model-error', message: 'Broken.' } }]],
    ['ends without it', [piece('{'), says('never mind'), finishes()]],
  ] as const)('fails when its step %s', async (_name, step) => {
    const world = openWriting()
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    world.model.push([...step])
    await say(sessionId, 'go')
    expect(client.updates().filter((update) => 'toolCallId' in update)).toMatchObject([
      { sessionUpdate: 'tool_call', status: 'pending' },
      {
        sessionUpdate: 'tool_call_update',
        status: 'failed',
        content: [{ content: { text: 'The model did not finish this call.' } }],
      },
    ])
  })

  it.each([
    [{}, { sessionUpdate: 'agent_thought_chunk', content: { text: 'The model is busy. Trying again in 2 s.' } }],
    [{ session: { notices: {} } }, { sessionUpdate: 'notice', title: 'The model is busy. Trying again in 2 s.' }],
  ])('is void when the model is asked again, and a client %j is notified', async (capabilities, notice) => {
    const world = openWriting()
    const { client, newSession, say } = await world.connect({ capabilities })
    const sessionId = await newSession()
    world.model.push(
      [piece('{"path":"a'), retry, piece('{}'), calls('c1', 'write'), finishes('tool-calls')],
      [says('done'), finishes()],
    )
    await say(sessionId, 'go')
    const shown = client.updates().filter((one) => 'toolCallId' in one || one.sessionUpdate === notice.sessionUpdate)
    expect(shown).toMatchObject([
      { sessionUpdate: 'tool_call', toolCallId: 'c1' },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'failed' },
      notice,
      { sessionUpdate: 'tool_call' },
      { status: 'pending' },
      { status: 'in_progress' },
      { status: 'completed' },
    ])
  })

  it('reaches a client that connects while it is being written', async () => {
    const world = openWriting()
    const { client, newSession } = await world.connect()
    const sessionId = await newSession()
    world.model.push([piece('{"path":"a.ts","text":"'), hangs])
    const prompt = client.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] })
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'tool_call')
    const late = await world.connect()
    await late.client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    const { params } = await late.client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'tool_call')
    expect(params.update.rawInput).toEqual({ path: 'a.ts', text: '' })
    client.notify('session/cancel', { sessionId })
    await prompt
  })

  it('is not shown before it is complete in profile seed', async () => {
    const world = openWriting()
    const { client, newSession, say } = await world.connect({ profile: 'seed' })
    const sessionId = await newSession()
    world.model.push([piece('{'), calls('c1', 'write', { a: 1 }), finishes('tool-calls')], [says('done'), finishes()])
    await say(sessionId, 'go')
    const shown = client.updates().filter((update) => 'toolCallId' in update)
    expect(shown[0]).toMatchObject({ sessionUpdate: 'tool_call', rawInput: { a: 1 } })
    expect(shown).toHaveLength(3)
  })

  it('with a long input is sent a bounded number of times', async () => {
    const world = openWriting()
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const text = 'x'.repeat(1_000)
    const pieces = Array.from({ length: 200 }, () => piece(text))
    world.model.push(
      [piece('{"text":"'), ...pieces.flatMap((one) => [one, tick]), calls('c1', 'write'), finishes('tool-calls')],
      [says('done'), finishes()],
    )
    await say(sessionId, 'go')
    const bytes = client.updates().reduce((sum, update) => sum + JSON.stringify(update).length, 0)
    expect(bytes).toBeLessThan(8 * 200_000)

    function tick(): void {
      world.clock.advance(100)
    }
  })
})
