import { describe, expect, it } from 'vitest'
import { createFakeTool, createJudging, foldEvents, given } from '@polylogue/testkit'
import type { StepBlock, StepFinish, ToolAccess } from '../index.ts'
import { decideAnswered } from './decide-step.ts'

const { call, text } = given
const access: ToolAccess = { type: 'listed', tools: [{ name: 'trusted', trust: true }, { name: 'asked' }] }
const clientTools = [{ name: 'client', description: '', parameters: {} }]
const tools = [createFakeTool('trusted'), createFakeTool('asked')]
const ASKED = [
  given.created({ access, clientTools }),
  given.admitted('i', 't'),
  given.turnStarted('t', 'i'),
  given.stepStarted('t', 's'),
]

function typesAfter(blocks: readonly StepBlock[], finish: StepFinish = 'tool-calls', before = ASKED) {
  const state = foldEvents(before)
  const answer = { blocks, finish, usage: { inputTokens: 1, outputTokens: 2 } }
  return decideAnswered(state, answer, { recovery: 'continue', judging: createJudging({ tools }) })
}

const types = (blocks: readonly StepBlock[]) => typesAfter(blocks).map((event) => event.type)

describe('an answer of the model', () => {
  it('without calls ends the step and the turn', () => {
    expect(typesAfter([text('hi')], 'stop')).toEqual([
      {
        type: 'step.answered',
        turnId: 't',
        stepId: 's',
        blocks: [text('hi')],
        finish: 'stop',
        usage: { inputTokens: 1, outputTokens: 2 },
        routes: {},
      },
      given.stepEnded('t', 's'),
      given.turnEnded('t', 'finished'),
    ])
  })

  it.each([
    ['stop', 'finished'],
    ['tool-calls', 'finished'],
    ['token-limit', 'token-limit'],
    ['refused', 'refused'],
  ] as const)('that finished as %s without calls ends the turn as %s', (finish, outcome) => {
    expect(typesAfter([text('hi')], finish).at(-1)).toEqual(given.turnEnded('t', outcome))
  })

  it('with a call that may run leaves the turn running', () => {
    expect(types([call('1', 'trusted'), call('2', 'asked')])).toEqual(['step.answered', 'approval.requested'])
  })

  it('whose calls all need a human pauses the turn in the same append', () => {
    expect(types([call('1', 'asked'), call('2', 'client'), call('3', 'nobody')])).toEqual([
      'step.answered',
      'approval.requested',
      'tool-call.settled',
      'turn.paused',
    ])
  })

  it('whose calls all cannot run ends the step, and the turn continues', () => {
    expect(types([call('1', 'nobody')])).toEqual(['step.answered', 'tool-call.settled', 'step.ended'])
  })

  it('that ends the turn starts the queued input in the same append, after this step', () => {
    const events = typesAfter([text('hi')], 'stop', [...ASKED, given.admitted('i2', 't2')])
    expect(events.at(-1)).toEqual({
      type: 'turn.started',
      turnId: 't2',
      inputId: 'i2',
      parentEntryId: 's',
      recovery: 'continue',
    })
  })
})
