import { createFakeParts, finishes, loadAcpFrameChecker, says, calls, createFakeTool } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { ConnectOptions } from '../test-support/open-world.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'

const budgets = { currency: 'USD', budgetsOf: () => ({ turn: { steps: 1 } }) }
const open = usingWorlds(() => ({ ...createFakeParts(), budgets, check: loadAcpFrameChecker }))

const SENTENCE = 'This turn has used 1 model call; the budget is 1 model call.'
const FORMS = { elicitation: { form: {} } }
const NOTICES = { session: { notices: {} } }

/** A turn that has used up its budget after the first step, and the client's answer. */
async function spend(connect: ConnectOptions, answer: string) {
  const world = open({ tools: [createFakeTool('look')] })
  const { client, newSession, say } = await world.connect({
    ...connect,
    capabilities: { ...FORMS, ...connect.capabilities },
  })
  client.answer('elicitation/create', () => ({ action: 'accept', content: { answer } }))
  const sessionId = await newSession()
  world.model.push([calls('c1', 'look'), finishes('tool-calls')], [says('done'), finishes()])
  const { result } = await say(sessionId, 'go')
  const told = client
    .updates()
    .filter((update) => ['notice', 'agent_thought_chunk'].includes(String(update['sessionUpdate'])))
  return { ...world, client, result, told }
}

describe('acp build 5: a used-up budget', () => {
  it('is a notice for a client that shows notices, and no thought', async () => {
    const { told } = await spend({ capabilities: NOTICES }, 'Go on')
    expect(told).toEqual([{ sessionUpdate: 'notice', severity: 'info', title: SENTENCE }])
  })

  it('comes before the question about it', async () => {
    const { client } = await spend({ capabilities: NOTICES }, 'Go on')
    const methods = client.frames.map(({ method, params }) => params?.update?.sessionUpdate ?? method)
    const at = (what: string): number => methods.indexOf(what)
    expect(at('notice')).toBeGreaterThan(0)
    expect(at('notice')).toBeLessThan(at('elicitation/create'))
  })

  it('is a thought for a client that shows none', async () => {
    const { told } = await spend({}, 'Go on')
    expect(told).toMatchObject([{ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: SENTENCE } }])
  })

  it('is only the question in profile seed', async () => {
    const { told, client } = await spend({ profile: 'seed' }, 'Go on')
    expect(told).toEqual([])
    expect(client.requests.map(({ method }) => method)).toEqual(['elicitation/create'])
  })

  it('is also a question, whose answer continues or ends the turn', async () => {
    const more = await spend({}, 'Go on')
    expect(more.client.text()).toBe('done')
    expect(more.result).toMatchObject({ stopReason: 'end_turn' })
    const less = await spend({}, 'Stop')
    expect(less.client.requests[0].params).toMatchObject({ message: expect.stringContaining(SENTENCE) })
    expect(less.model.requests).toHaveLength(1)
  })
})
