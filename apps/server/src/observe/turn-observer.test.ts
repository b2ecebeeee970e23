import { asEntryId, asSessionId, asTurnId, asUserId, ROOT_LOOP, type RecordedEvent } from '@polylogue/engine'
import { expect, it } from 'vitest'
import { silentLog, type Log } from '../log/log.ts'
import { createCounter, createHistogram } from '../metrics/metric.ts'
import { createTurnObserver } from './turn-observer.ts'

const sessionId = asSessionId('session-1')
const turnId = asTurnId('turn_1')
const stepId = asEntryId('entry_1')

function createObserver() {
  const lines: string[] = []
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
  const log: Log = { ...silentLog, info: write('info'), warn: write('warn') }
  const metrics = {
    turns: createCounter('turns', ''),
    takeovers: createCounter('takeovers', ''),
    modelSteps: createHistogram('steps', '', [1, 10]),
    tokens: createCounter('tokens', ''),
    cost: createCounter('cost', ''),
  }
  const observer = createTurnObserver(metrics, log)
  const at = (time: number, ...events: RecordedEvent[]) => observer.appended({ sessionId, at: time, events })
  return { at, lines, metrics, observer }
}

const asked: RecordedEvent = { type: 'step.started', turnId, stepId, loopId: ROOT_LOOP, model: 'x/y' }

it('a turn that ended is one line and one count', () => {
  const { at, lines, metrics } = createObserver()
  at(1, { type: 'turn.ended', turnId, outcome: 'failed', error: { code: 'model-cut-off', message: 'It stopped.' } })
  expect(lines).toEqual([
    'info a turn ended {"sessionId":"session-1","turnId":"turn_1","outcome":"failed","code":"model-cut-off"}',
  ])
  expect(metrics.turns.expose()).toContain('turns{outcome="failed"} 1')
})

it('a takeover is a warning', () => {
  const { at, lines, metrics } = createObserver()
  at(1, { type: 'turn.taken-over', turnId, count: 2 })
  expect(lines).toEqual(['warn a turn was taken over {"sessionId":"session-1","turnId":"turn_1","count":2}'])
  expect(metrics.takeovers.total).toBe(1)
})

it('a step is measured once, from its question to its answer', () => {
  const { at, metrics, observer } = createObserver()
  at(1_000, asked)
  at(3_000, { type: 'step.ended', turnId, stepId, outcome: 'failed' })
  at(9_000, { type: 'step.ended', turnId, stepId, outcome: 'completed' })
  at(10_000, asked)
  observer.deleted(sessionId)
  at(11_000, { type: 'step.ended', turnId, stepId, outcome: 'completed' })
  expect(metrics.modelSteps.expose()).toContain('steps_sum 2\nsteps_count 1\n')
})

it('tokens and money are counted, and questions of the engine itself are no model steps', () => {
  const { at, metrics, observer } = createObserver()
  const call = {
    callId: stepId,
    kind: 'step',
    userId: asUserId('ada'),
    loops: [ROOT_LOOP],
    agent: 'a',
    model: 'x/y',
  } as const
  const took = { inputTokens: 10, outputTokens: 2, cost: { nano: 1_500_000_000, currency: 'EUR' } }
  observer.appended({ sessionId, at: 1, events: [], usage: [{ ...call, usage: took }, call] })
  expect(metrics.tokens.expose()).toContain('tokens{direction="in"} 10\ntokens{direction="out"} 2\n')
  expect(metrics.cost.expose()).toContain('cost{currency="EUR"} 1.5\n')
  const usage = { inputTokens: 0, outputTokens: 0 }
  at(1, asked, {
    type: 'step.answered',
    turnId,
    stepId,
    blocks: [],
    routes: {},
    finish: 'tool-calls',
    usage,
    by: 'engine',
  })
  expect(metrics.modelSteps.expose()).toContain('steps_count 0\n')
})
