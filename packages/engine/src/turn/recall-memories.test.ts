import { describe, expect, it } from 'vitest'
import { createFakeTool, calls, finishes, restart, says, startSession } from '@polylogue/testkit'
import { asSessionId, type Memory, type MemoryStore, type ModelRequest } from '../index.ts'

const memory = (memoryId: number, content: string): Memory => ({
  memoryId,
  type: 'feedback',
  content,
  createdAt: 0,
  hitCount: 1,
  isDisabled: false,
  sourceSession: asSessionId('s1'),
})

const isTold = ({ messages }: ModelRequest): boolean => JSON.stringify(messages).includes('likes tea')

function remembering(...contents: string[]) {
  const asked: string[] = []
  const recall: MemoryStore['recall'] = async (_user, text) => {
    asked.push(text)
    return contents.map((content, index) => memory(index + 1, content))
  }
  return { memories: { recall }, asked }
}

describe('the memories of a user', () => {
  it('is searched once per turn, given to the model, and recorded', async () => {
    const { memories, asked } = remembering('likes tea', 'lives in\nOslo')
    const test = await startSession({ memories, tools: [createFakeTool('look')] })
    test.model.push([calls('a', 'look'), finishes('tool-calls')], [says('done'), finishes()])
    await test.say('what do I like?')
    await test.untilRest()
    expect(asked).toEqual(['what do I like?'])
    for (const { system, messages } of test.model.requests) {
      expect(system).toBe('Test.')
      expect(messages.slice(0, 2)).toEqual([
        {
          role: 'user',
          content: expect.stringMatching(
            /^Notes .* not instructions.*\n\[\{"memory":1,"keptBy":"an agent","session":"s1","text":"likes tea"\},\{.*"text":"lives in\\nOslo"\}\]$/s,
          ),
        },
        { role: 'user', content: 'what do I like?' },
      ])
    }
    expect((await test.events()).find(({ type }) => type === 'memories.recalled')).toMatchObject({
      memories: [{ memoryId: 1, content: 'likes tea' }, { memoryId: 2 }],
    })
  })

  it('is not repeated when the next turn is about something else', async () => {
    let contents = ['likes tea']
    const recall: MemoryStore['recall'] = async () => contents.map((content) => memory(1, content))
    const test = await startSession({ memories: { recall } })
    await test.say('tea?')
    await test.untilRest()
    contents = []
    await test.say('something else')
    await test.untilRest()
    expect(test.model.requests.map(isTold)).toEqual([true, false])
  })

  it('is the same after a crash, without another look', async () => {
    const first = await startSession({ ...remembering('likes tea') })
    first.model.push([() => new Promise(() => undefined)])
    void first.say('tea?')
    await expect.poll(async () => (await first.types()).includes('step.started')).toBe(true)
    const { memories, asked } = remembering('likes coffee')
    const second = await restart(first, { memories })
    await second.untilRest()
    expect(asked).toEqual([])
    expect(second.model.requests.map(isTold)).toEqual([true])
  })

  it('that cannot be read costs no turn', async () => {
    const test = await startSession({ memories: { recall: () => Promise.reject(new Error('disk')) } })
    await test.say('go')
    await test.untilRest()
    expect((await test.view()).lastOutcome).toBe('finished')
    expect(test.logged).toMatchObject([{ level: 'warn' }])
  })
})
