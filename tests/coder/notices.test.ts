// What happens beside the conversation, as editors see it: retries of the provider, a used-up budget and compactions.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadAcpFrameChecker } from '@polylogue/testkit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Params, Update } from '../acp/support/acp-process.ts'
import { startEditorApp, type EditorApp } from '../acp/support/editor-app.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { startPlayedModel, type PlayedModel, type PlayedStep } from './played-model.ts'

const PROGRAM = fileURLToPath(new URL('../../polylogue', import.meta.url))
const SHOWS = { session: { notices: {}, compaction: {} } }
const RETRY = /^OpenAI is overloaded\. Trying again in \d+ s\.$/
const BUDGET = 'This turn has used 2 model calls; the budget is 2 model calls.'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let dir: TempDir
let project: string
let model: PlayedModel
let child: ChildProcess
let editor: EditorApp

beforeAll(async () => {
  dir = await createTempDir()
  const path = await realpath(dir.path)
  project = join(path, 'app')
  await Promise.all([mkdir(project), mkdir(join(path, 'home'))])
  await writeFile(join(path, 'config.json'), JSON.stringify({ budgets: { turn: { steps: 2 } } }))
  model = await startPlayedModel()
  const environment = {
    ...{ HOME: join(path, 'home'), XDG_CONFIG_HOME: '', POLYLOGUE_MODEL: 'openai/tiny' },
    ...{ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'sk-no-key' },
  }
  child = spawn(PROGRAM, ['acp', '--data', join(path, 'data'), '--config', join(path, 'config.json')], {
    cwd: path,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  editor = startEditorApp(child, await loadAcpFrameChecker())
  // *Go on* is the first button of the budget's question.
  editor.permission = 'choice-0'
})
afterAll(async () => {
  const exited = once(child, 'exit')
  child.stdin?.end()
  await exited
  await model.stop()
  await dir.remove()
  const problems = [...editor.problems, ...model.faults]
  if (problems.length > 0) throw new Error(problems.join('\n'))
})

let prompts = 0

/** Sends a prompt that the model plays, in a session of an editor with these capabilities. Returns what was shown. */
async function play(sessionId: string, steps: readonly PlayedStep[]) {
  const input = `prompt ${++prompts}`
  const from = editor.updates.length
  model.play(input, steps)
  const { stopReason } = await editor.prompt(sessionId, input)
  return { stopReason, updates: editor.updates.slice(from) }
}

const look = (pattern: string): PlayedStep => ({ calls: [['Glob', { pattern }]] })
const noticesIn = (updates: readonly Update[]): readonly unknown[] =>
  updates.filter(({ sessionUpdate }) => sessionUpdate === 'notice').map(({ severity, title }) => [severity, title])
const thoughtsIn = (updates: readonly Update[]): readonly string[] =>
  updates
    .filter(({ sessionUpdate }) => sessionUpdate === 'agent_thought_chunk')
    .map(({ content }) => String((content as Params)['text']).trim())
const compactionsIn = (updates: readonly Update[]): readonly unknown[] =>
  updates.filter(({ sessionUpdate }) => sessionUpdate === 'compaction_update').map(({ status }) => status)

async function compact(sessionId: string): Promise<readonly Update[]> {
  const from = editor.updates.length
  await editor.prompt(sessionId, '/compact')
  return editor.updates.slice(from)
}

/** What a later load shows of all this. */
async function replayed(sessionId: string): Promise<readonly Update[]> {
  const from = editor.updates.length
  await editor.request('session/load', { sessionId, cwd: project, mcpServers: [] })
  return editor.updates.slice(from)
}

describe('acp build 5: retries, a used-up budget and a compaction', () => {
  it('are notices and compaction updates in an editor that shows them, and no history', async () => {
    const id = await editor.open(project, SHOWS)
    const retried = await play(id, [{ text: 'Here.', failsOnce: 503 }])
    expect(noticesIn(retried.updates)).toEqual([['warning', expect.stringMatching(RETRY)]])
    const spent = await play(id, [look('a'), look('b'), { text: 'Done.' }])
    expect(spent.stopReason).toBe('end_turn')
    expect(noticesIn(spent.updates)).toEqual([['info', BUDGET]])
    const compacted = await compact(id)
    expect(compactionsIn(compacted)).toEqual(['in_progress', 'completed'])
    expect([retried.updates, spent.updates, compacted].flatMap(thoughtsIn)).toEqual([])
    expect((await replayed(id)).filter(({ sessionUpdate }) => /notice|compaction/.test(sessionUpdate))).toEqual([])
  })

  it('are thoughts in an editor that shows neither, and no history', async () => {
    const id = await editor.open(project, {})
    const retried = await play(id, [{ text: 'Here.', failsOnce: 503 }])
    expect(thoughtsIn(retried.updates)).toEqual([expect.stringMatching(RETRY)])
    const spent = await play(id, [look('a'), look('b'), { text: 'Done.' }])
    expect(thoughtsIn(spent.updates)).toEqual([BUDGET])
    expect(thoughtsIn(await compact(id))).toEqual([
      'The conversation is being summarized to make room.',
      'The older part of the conversation was summarized.',
    ])
    expect(thoughtsIn(await replayed(id))).toEqual([])
  })
})
