import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPresetSession } from '../first-run/preset-session.ts'
import { V3 } from '../support/aap-dialect.ts'
import { callsIn } from '../support/played-turn.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { type ModelStep, type ToolCallingServer, startToolCallingServer } from './tool-calling-server.ts'

const TASK = 'Write down what there is to buy.'
const ERRAND = 'Count the lines of list.md.'
const todos = (first: string, second: string) => [
  { content: 'Write the list', status: first },
  { content: 'Have it counted', status: second },
]

const PARTS: Readonly<Record<string, readonly ModelStep[]>> = {
  [TASK]: [
    {
      text: 'I begin.',
      calls: [
        { name: 'TodoWrite', input: { todos: todos('in_progress', 'pending') } },
        { name: 'Write', input: { path: 'list.md', content: 'milk\nbraed\n' } },
      ],
    },
    { calls: [{ name: 'Edit', input: { path: 'list.md', oldText: 'braed', newText: 'bread' } }] },
    { text: 'A command.', calls: [{ name: 'Bash', input: { command: 'sort list.md > sorted.md && cat sorted.md' } }] },
    { calls: [{ name: 'Agent', input: { description: 'Count', prompt: ERRAND } }] },
    { calls: [{ name: 'TodoWrite', input: { todos: todos('completed', 'completed') } }] },
    { text: 'Milk and bread, two lines.' },
  ],
  [ERRAND]: [
    { calls: [{ name: 'Read', input: { path: 'list.md' } }] },
    { calls: [{ name: 'Bash', input: { command: 'wc -l < list.md > count.txt' } }] },
    { text: 'There are 2 lines.' },
  ],
}

let dir: TempDir
let models: ToolCallingServer
let server: ServerProcess
beforeAll(async () => {
  dir = await createTempDir()
  models = await startToolCallingServer(PARTS)
  server = await startServerProcess({
    dataDir: join(dir.path, '.polylogue'),
    startDir: dir.path,
    environment: { POLYLOGUE_MODEL: '', OPENAI_BASE_URL: models.baseUrl },
  })
})
afterAll(async () => {
  await server.stop()
  await models.stop()
  await dir.remove()
})

describe('a whole piece of work with a provider', () => {
  it('leaves the files, and a history that the provider takes at every request', { timeout: 60_000 }, async () => {
    const session = await openPresetSession(server.client(V3), 'assistant', 'workspace-write')
    const grant = (toolCallId = '') => [{ role: 'tool_permission' as const, toolCallId, granted: true }]

    const first = await session.play('delta', TASK)
    expect(first).toMatchObject({ stopReason: 'tool_use', text: 'I begin.A command.' })
    expect(first.calls.map(({ name }) => name)).toEqual(['TodoWrite', 'Write', 'Edit', 'Bash'])

    const second = await session.play('delta', grant(first.calls.at(-1)?.toolCallId))
    expect(second.stopReason).toBe('tool_use')
    expect(second.results).toMatchObject([{ content: 'bread\nmilk' }])
    // The second one is the sub-agent's, and waits.
    expect(second.calls.map(({ name }) => name)).toEqual(['Agent', 'Bash'])

    const third = await session.play('delta', grant(second.calls.at(-1)?.toolCallId))
    expect(third).toMatchObject({ stopReason: 'end_turn', text: 'Milk and bread, two lines.' })
    expect(third.results.map(({ content }) => content)).toContain('There are 2 lines.')

    const workspace = join(dir.path, '.polylogue', 'workspaces', session.id)
    expect((await readdir(workspace)).toSorted()).toEqual(['count.txt', 'list.md', 'sorted.md'])
    expect(await readFile(join(workspace, 'list.md'), 'utf8')).toBe('milk\nbread\n')
    expect((await readFile(join(workspace, 'count.txt'), 'utf8')).trim()).toBe('2')

    const history = await session.history()
    expect(callsIn(history).map(({ name }) => name)).toEqual([
      ...['TodoWrite', 'Write', 'Edit', 'Bash', 'Agent'],
      ...['Bash', 'TodoWrite'],
    ])
    const settled = history.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))
    expect(settled.toSorted()).toEqual(
      callsIn(history)
        .map(({ toolCallId }) => toolCallId)
        .toSorted(),
    )

    expect(models.faults).toEqual([])
    expect(models.asked).toHaveLength(9)
    expect(models.offered[0]).toEqual(
      expect.arrayContaining([
        'Read',
        'Write',
        'Edit',
        'Glob',
        'Grep',
        'Bash',
        'AskUserQuestion',
        'Agent',
        'TodoWrite',
      ]),
    )
    const errand = models.asked.filter((messages) => messages.some(({ content }) => content === ERRAND))
    expect(errand).toHaveLength(3)
    expect(JSON.stringify(errand)).not.toContain(TASK)
  })
})
