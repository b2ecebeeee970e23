import {
  calls,
  createFakeParts,
  createFakeTool,
  createQuestionTool,
  finishes,
  loadAcpFrameChecker,
  says,
  untilQuiet,
} from '@polylogue/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { historyOf } from '../test-support/history-of.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'
import type { Frame, WireClient } from '../test-support/wire-client.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

type Act = 'prompt' | 'write' | 'ask' | 'cancel' | 'mode' | 'answer' | 'nonsense' | 'time' | 'take-back'
const ACTS: readonly Act[] = ['prompt', 'write', 'ask', 'cancel', 'mode', 'answer', 'nonsense', 'time', 'take-back']
const acts = fc.array(fc.tuple(fc.constantFrom(...ACTS), fc.boolean(), fc.nat(9)), { minLength: 3, maxLength: 14 })

/** Every call that was announced, with how it ended. */
function endsOf(client: WireClient): ReadonlyMap<string, readonly string[]> {
  const ends = new Map<string, string[]>()
  for (const update of client.updates()) {
    if (update.sessionUpdate === 'tool_call') ends.set(update.toolCallId, [])
    const isEnd = update.sessionUpdate === 'tool_call_update' && /completed|failed/.test(String(update.status))
    if (isEnd) ends.get(update.toolCallId)?.push(String(update.status))
  }
  return ends
}

const EXTENSION = { _meta: { '_agentao.cn/extensions': [{ method: '_agentao.cn/ask_user' }] } }

describe('two clients in one session, whatever they do at once,', () => {
  it('get one answer to each prompt and one end of each call, and see the same as a later replay', async () => {
    let turn = 0
    await fc.assert(
      fc.asyncProperty(acts, fc.boolean(), async (story, isNarrow) => {
        const world = open({
          tools: [createFakeTool('write', { effect: 'unsafe' }), createQuestionTool()],
          // Narrow enough that readers are paused all the time.
          ...(isNarrow && { limits: { outBufferBytes: 300 } }),
        })
        const scripts = {
          prompt: (id: string) => [says(`${id} says `), says('this'), finishes()],
          write: (id: string) => [says('I write'), calls(`w${id}`, 'write', { id }), finishes('tool-calls')],
          ask: (id: string) => [calls(`q${id}`, 'Ask', { question: `who is ${id}?` }), finishes('tool-calls')],
        }
        const first = await world.connect({ capabilities: EXTENSION })
        const second = await world.connect({ capabilities: EXTENSION })
        const watcher = await world.connect({ capabilities: EXTENSION })
        const sessionId = await first.newSession()
        const load = { sessionId, cwd: world.cwd, mcpServers: [] }
        for (const { client } of [second, watcher]) await client.result('session/load', load)

        const answers: Promise<Frame>[] = []
        for (const [act, isFirst, more] of story) {
          const { client } = isFirst ? first : second
          const asked = client.requests.at(-1)
          switch (act) {
            case 'prompt':
            case 'write':
            case 'ask':
              world.model.push(scripts[act](`${++turn}`))
              answers.push(
                client.call(
                  'session/prompt',
                  { sessionId, prompt: [{ type: 'text', text: act }] },
                  `p${answers.length}`,
                ),
              )
              break
            case 'take-back':
              client.notify('$/cancel_request', { requestId: `p${answers.length - 1}` })
              break
            case 'cancel':
              client.notify('session/cancel', { sessionId })
              break
            case 'mode':
              client.notify('session/cancel', { sessionId: 'unknown' })
              client.send({
                jsonrpc: '2.0',
                id: `m${turn}${more}`,
                method: 'session/set_mode',
                params: { sessionId, modeId: 'code' },
              })
              break
            case 'answer':
              if (asked !== undefined) {
                const result =
                  asked.method === 'session/request_permission'
                    ? { outcome: 'selected', optionId: 'allow' }
                    : { answer: 'Bob' }
                client.send({ jsonrpc: '2.0', id: asked.id, result })
              }
              break
            case 'nonsense':
              if (asked !== undefined) client.send({ jsonrpc: '2.0', id: asked.id, result: 'nonsense' })
              break
            case 'time':
              world.clock.advance(more * 10)
          }
          if (more > 4) await untilQuiet()
        }
        // Whoever is asked from now on answers, so that everything comes to its end.
        const isDone = Promise.all(answers)
        for (const { client } of [first, second]) {
          client.answer('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'reject' } }))
          client.answer('_agentao.cn/ask_user', () => ({ answer: 'Al' }))
          for (const { id, method } of client.requests) {
            const result =
              method === 'session/request_permission' ? { outcome: 'selected', optionId: 'reject' } : { answer: 'Al' }
            client.send({ jsonrpc: '2.0', id, result })
          }
        }
        const reasons = (await isDone).map(({ result, error }) => result?.stopReason ?? error?.data?.reason)
        expect(['end_turn', 'cancelled', 'queue_full']).toEqual(expect.arrayContaining([...new Set(reasons)]))
        for (const [index] of answers.entries()) {
          const frames = [first, second].flatMap(({ client }) =>
            client.frames.filter(({ id, method }) => id === `p${index}` && method === undefined),
          )
          expect(frames).toHaveLength(1)
        }
        world.clock.advance(1_000)
        await untilQuiet()
        for (const client of [first.client, second.client, watcher.client]) {
          for (const ends of endsOf(client).values()) expect(ends).toHaveLength(1)
        }
        const later = await world.connect({ capabilities: EXTENSION })
        await later.client.result('session/load', load)
        expect(historyOf(later.client)).toEqual(historyOf(watcher.client))
      }),
      { numRuns: 25 },
    )
  })
})
