import { describe, expect, it } from 'vitest'
import type { ToolOutput } from '../ports/tool.ts'
import { calls, createFakeTool, finishes, says, startSession, type FakeStep } from '@polylogue/testkit'
import { MOST_FAILURES, MOST_REPEATS } from './find-circle.ts'

const look = (id: number, input: object = { at: 'it' }): FakeStep => [
  calls(`c${id}`, 'look', input),
  finishes('tool-calls'),
]

async function play(
  steps: readonly FakeStep[],
  result: (count: number) => ToolOutput = () => ({ content: 'nothing' }),
) {
  let count = 0
  const tool = createFakeTool('look', { run: () => result(++count) })
  const test = await startSession({ tools: [tool], maxSteps: 50 })
  test.model.push(...steps)
  await test.say('go')
  await test.untilRest()
  return { steps: tool.invocations.length, end: (await test.events()).at(-1) }
}

describe('an agent that makes the same call again and again', () => {
  const many = Array.from({ length: 20 }, (_, id) => look(id))

  it('is stopped, and it is said why', async () => {
    expect(await play(many)).toMatchObject({
      steps: MOST_REPEATS,
      end: { outcome: 'step-limit', error: { code: 'repeated-call' } },
    })
  })

  it('is left alone while the results differ, or the calls do', async () => {
    expect(await play([...many, [says('done'), finishes()]], (count) => ({ content: `${count}` }))).toMatchObject({
      steps: 20,
      end: { outcome: 'finished' },
    })
    const two = Array.from({ length: 20 }, (_, id) => look(id, { at: id % 2 }))
    expect(await play([...two, [says('done'), finishes()]])).toMatchObject({ steps: 20, end: { outcome: 'finished' } })
  })

  it('may start again after a user message', async () => {
    const tool = createFakeTool('look')
    const test = await startSession({ tools: [tool], maxSteps: 50 })
    const some = (from: number) => Array.from({ length: MOST_REPEATS - 1 }, (_, id) => look(from + id))
    for (const turn of [0, 100]) {
      test.model.push(...some(turn), [says('done'), finishes()])
      await test.say('go')
      await test.untilRest()
      expect((await test.view()).lastOutcome).toBe('finished')
    }
    expect(tool.invocations).toHaveLength(2 * (MOST_REPEATS - 1))
  })
})

describe('an agent whose tools fail again and again', () => {
  const different = Array.from({ length: 20 }, (_, id) => look(id, { at: id }))
  const done: FakeStep = [says('done'), finishes()]

  it('is stopped when they fail in the same way, whatever they are asked', async () => {
    expect(await play(different, () => ({ content: 'no such host', isError: true }))).toMatchObject({
      steps: MOST_FAILURES,
      end: { outcome: 'failed', error: { code: 'tool-failure' } },
    })
  })

  it('is left alone while they fail in different ways, or one of them works', async () => {
    const failing = (count: number) => ({ content: `line ${count} is wrong`, isError: true })
    expect(await play([...different, done], failing)).toMatchObject({ steps: 20, end: { outcome: 'finished' } })
    const mixed = (count: number) => ({ content: 'it is so', isError: count % MOST_FAILURES !== 0 })
    expect(await play([...different, done], mixed)).toMatchObject({ steps: 20, end: { outcome: 'finished' } })
  })
})
