import { describe, expect, it } from 'vitest'
import { calls, createFakeTool, finishes, says, startSession, type FakeStep } from '@polylogue/testkit'
import { MOST_REPEATS } from './count-repeats.ts'

const look = (id: number, input: object = { at: 'it' }): FakeStep => [
  calls(`c${id}`, 'look', input),
  finishes('tool-calls'),
]

async function play(steps: readonly FakeStep[], results?: (count: number) => string) {
  let count = 0
  const tool = createFakeTool('look', { run: () => ({ content: results?.(++count) ?? 'nothing' }) })
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
    expect(await play([...many, [says('done'), finishes()]], (count) => `${count}`)).toMatchObject({
      steps: 20,
      end: { outcome: 'finished' },
    })
    const two = Array.from({ length: 20 }, (_, id) => look(id, { at: id % 2 }))
    expect(await play([...two, [says('done'), finishes()]])).toMatchObject({ steps: 20, end: { outcome: 'finished' } })
  })

  it('may begin anew when the user has spoken', async () => {
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
