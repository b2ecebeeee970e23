import type { SessionId } from '@polylogue/engine'
import {
  calls,
  createFakeParts,
  createQuestionTool,
  finishes,
  loadAcpFrameChecker,
  says,
  untilQuiet,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'
import { NO_ANSWER } from '../test-support/wire-client.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const MONTH_MS = 30 * 24 * 3_600_000
const CHOICES = { question: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] }
const WAYS = [
  {
    way: 'a form',
    method: 'elicitation/create',
    capabilities: { elicitation: { form: {} } },
    answer: { action: 'accept', content: { answer: 'blue' } },
  },
  {
    way: 'the extension',
    method: '_agentao.cn/ask_user',
    capabilities: { _meta: { '_agentao.cn/extensions': [{ method: '_agentao.cn/ask_user' }] } },
    answer: { answer: 'blue' },
  },
  {
    way: 'buttons',
    method: 'session/request_permission',
    capabilities: {},
    answer: { outcome: { outcome: 'selected', optionId: 'choice-1' } },
  },
] as const

describe('acp build 6: a question that somebody can answer has no time-out', () => {
  it.each(WAYS)('as $way: the answer counts after a month', async ({ method, capabilities, answer }) => {
    const world = open({ tools: [createQuestionTool()] })
    const { client, newSession, say } = await world.connect({ capabilities })
    client.answer(method, () => NO_ANSWER)
    const sessionId = (await newSession()) as SessionId
    world.model.push([calls('c1', 'Ask', CHOICES), finishes('tool-calls')], [says('done'), finishes()])
    const said = say(sessionId, 'go')
    const { id } = await client.untilRequest(method)
    world.clock.advance(MONTH_MS)
    await untilQuiet()
    expect(await world.engine.readSession(world.user, sessionId)).toMatchObject({ status: 'waiting' })
    expect(client.requests.map((request) => request.method)).toEqual([method])
    client.send({ jsonrpc: '2.0', id, result: answer })
    expect(await said).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(world.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'blue' })
  })

  it('as a message: the next prompt is the answer after a month', async () => {
    const world = open({ tools: [createQuestionTool()] })
    const { newSession, say } = await world.connect({})
    const sessionId = (await newSession()) as SessionId
    world.model.push([calls('c1', 'Ask', { question: 'Who?' }), finishes('tool-calls')], [says('done'), finishes()])
    await say(sessionId, 'go')
    world.clock.advance(MONTH_MS)
    await untilQuiet()
    await say(sessionId, 'Bob')
    expect(world.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Bob' })
  })
})
