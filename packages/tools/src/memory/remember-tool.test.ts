import { asUserId, type JsonObject, type ToolOutput } from '@polylogue/engine'
import { createFakeClock, createInvocation, createMemoryMemoryStore } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createRememberTool } from './remember-tool.ts'

function setUp() {
  const store = createMemoryMemoryStore({ clock: createFakeClock() })
  const tool = createRememberTool({ remember: (userId, memory) => store.addMemory(userId, memory) })
  const run = (input: JsonObject, userId = 'ada'): Promise<ToolOutput> =>
    tool.run(createInvocation(tool, input, { userId }))
  const list = async (userId = 'ada') => (await store.listMemories(asUserId(userId), { limit: 100 })).memories
  return { tool, run, list }
}

describe('Remember', () => {
  it('stores a memory for the user of the session, and returns its number', async () => {
    const { run, list } = setUp()
    const full = {
      content: '  Deploys are on Fridays ',
      type: 'experience',
      topic: 'deploys',
      skill_name: 'release',
      scope: 'kiwi',
      write_reason: 'the user said so',
    }
    expect(await run(full)).toEqual({ content: 'Remembered as memory 1.' })
    expect(await list()).toMatchObject([
      {
        memoryId: 1,
        content: 'Deploys are on Fridays',
        type: 'experience',
        topic: 'deploys',
        skillName: 'release',
        scope: 'kiwi',
        writeReason: 'the user said so',
        sourceSession: expect.stringMatching(/./),
      },
    ])
    expect(await list('grace')).toEqual([])
  })

  it.each([
    [undefined, { origin: 'user' }],
    ['', { origin: 'tool' }],
    ['WebFetch', { origin: 'tool', sourceTool: 'WebFetch' }],
  ])('keeps where the words came from: %j', async (textFrom, origin) => {
    const { tool, list } = setUp()
    const granted = textFrom === undefined ? {} : { textFrom }
    await tool.run(createInvocation(tool, { content: 'tea' }, { userId: 'ada', granted }))
    const [{ origin: kept, sourceTool } = {}] = await list()
    expect({ origin: kept, ...(sourceTool !== undefined && { sourceTool }) }).toEqual(origin)
  })

  it('keeps the same words once, so that it may run again', async () => {
    const { tool, run, list } = setUp()
    expect(tool.effect).toBe('idempotent')
    await run({ content: 'tea' })
    expect(await run({ content: 'tea' })).toEqual({ content: 'Known already as memory 1.' })
    await run({ content: 'coffee', supersedes: 1 })
    expect(await run({ content: 'coffee', supersedes: 1 })).toEqual({
      content: 'Known already as memory 2. It stands in for memory 1.',
    })
    expect(await list()).toMatchObject([{ content: 'coffee', type: 'feedback' }, { supersededBy: 2 }])
  })

  it('says why it could not', async () => {
    const { run } = setUp()
    await run({ content: 'tea' })
    await run({ content: 'coffee', supersedes: 1 })
    expect(await run({ content: 'water', supersedes: 1 })).toEqual({
      content: 'Memory 1 was corrected before, by memory 2. Correct that one.',
      isError: true,
    })
    const unknown = { content: 'There is no memory 1.', isError: true }
    expect(await run({ content: 'water', supersedes: 1 }, 'grace')).toEqual(unknown)
    for (let index = 2; index < 1_000; index++) await run({ content: `fact ${index}` })
    expect(await run({ content: 'one too many' })).toMatchObject({ isError: true })
  })

  it('keeps notes and is shown with what it keeps', async () => {
    const { tool } = setUp()
    expect({ kind: tool.kind, nature: tool.nature }).toEqual({ kind: 'other', nature: 'notes' })
    const inspect = (content: string) =>
      tool.inspect?.(createInvocation(tool, { content }).input, { cwd: '/', roots: [] })
    expect(await inspect('tea\nand   milk')).toEqual({
      facts: { type: 'notes', kept: 'tea\nand   milk' },
      preview: { title: 'Remember: tea and milk' },
    })
    expect((await inspect('🍵'.repeat(200)))?.preview?.title).toBe(`Remember: ${'🍵'.repeat(79)}…`)
  })

  it.each<[JsonObject, string]>([
    [{}, 'content: is missing'],
    [{ content: ' ' }, 'content: must not be empty'],
    [{ content: 'x'.repeat(501) }, 'content: must have at most 500 characters'],
    [{ content: 'x', type: 'wish' }, 'type: must be one of feedback, experience'],
    [{ content: 'x', topic: 'x'.repeat(256) }, 'topic: must have at most 255 characters'],
  ])('refuses an invalid memory, case %#', (input, problem) => {
    expect(setUp().tool.check(input)).toEqual({ ok: false, problem })
  })

  it('takes 500 characters of any kind', () => {
    expect(setUp().tool.check({ content: '🍵'.repeat(500) }).ok).toBe(true)
  })
})
