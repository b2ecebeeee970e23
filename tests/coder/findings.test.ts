// What daily users of editors found, each as a conversation of an editor, built with the official SDK, with the agent
// `coder`. Other tests of a finding have its number in their names too: grep for "acp finding".
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadAcpFrameChecker } from '@polylogue/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Params, Update } from '../acp/support/acp-process.ts'
import { startEditorApp, type EditorApp } from '../acp/support/editor-app.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { startPlayedModel, textOf, type PlayedModel, type PlayedStep } from './played-model.ts'

const PROGRAM = fileURLToPath(new URL('../../polylogue', import.meta.url))
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const FILES = { fs: { readTextFile: true, writeTextFile: true } }

// A process starts here, on a machine that may have other things to do.
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
  await Promise.all([mkdir(project), mkdir(join(path, 'home')), mkdir(join(path, 'library'))])
  await writeFile(join(project, 'AGENTS.md'), 'Use tabs.\n')
  execFileSync('git', ['init', '-b', 'topic'], { cwd: project, stdio: 'ignore' })
  model = await startPlayedModel()
  const environment = {
    ...{ HOME: join(path, 'home'), XDG_CONFIG_HOME: '', POLYLOGUE_MODEL: 'openai/tiny' },
    ...{ OPENAI_BASE_URL: model.baseUrl, ANTHROPIC_API_KEY: 'sk-no-key' },
  }
  child = spawn(PROGRAM, ['acp', '--data', join(path, 'data')], {
    cwd: path,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  editor = startEditorApp(child, await loadAcpFrameChecker())
})
beforeEach(() => {
  editor.permission = 'allow'
  editor.form = undefined
  editor.refusesWrites = false
  editor.missing = 'error'
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
const open = (capabilities: object = {}): Promise<string> => editor.open(project, capabilities)
const at = (name: string): string => join(project, name)

/** Sends a prompt that the model plays, and returns its answer with the updates since. */
async function play(sessionId: string, steps: readonly PlayedStep[]) {
  const input = `prompt ${++prompts}`
  const from = editor.updates.length
  model.play(input, steps)
  const answer = await editor.prompt(sessionId, input)
  return { answer, updates: editor.updates.slice(from) }
}

const uses = (name: string, input: object): PlayedStep => ({ calls: [[name, input]] })
const DONE: PlayedStep = { text: 'Done.' }
const ofKind = (updates: readonly Update[], kind: string): readonly Update[] =>
  updates.filter(({ sessionUpdate }) => sessionUpdate === kind)
const told = (updates: readonly Update[], kind: string): string =>
  ofKind(updates, kind)
    .map(({ content }) => (content as Params)['text'])
    .join('\n')
const lastCall = (updates: readonly Update[]): Update | undefined =>
  updates.findLast(({ sessionUpdate }) => sessionUpdate === 'tool_call_update')
const namesOf = ({ options }: Params): readonly unknown[] => (options as readonly Params[]).map(({ name }) => name)
/** The results that the model has read last. */
const heard = (): string =>
  (model.asked.at(-1) ?? [])
    .filter(({ role }) => role === 'tool')
    .map(textOf)
    .join('\n')

it('acp finding 1: the prompt names directory, platform, date and Git state, and contains the project’s instructions', async () => {
  await play(await open(), [DONE])
  const system = textOf(model.asked.at(-1)?.[0])
  expect(system).toMatch(/^You are a coding agent\./)
  expect(system).toContain(`- Working directory: ${project}\n`)
  expect(system).toMatch(/^- Platform: \S+/m)
  expect(system).toMatch(/^- Date: \d{4}-\d\d-\d\d/m)
  expect(system).toContain('- Git: branch topic')
  expect(system).toContain('Use tabs.')
  expect(system).not.toMatch(/a directory of your own|never an instruction/)
})

it('acp build 8: the Git state is read at the first prompt, not with the session', async () => {
  const session = await open()
  const moveTo = (branch: string): Buffer =>
    execFileSync('git', ['symbolic-ref', 'HEAD', `refs/heads/${branch}`], { cwd: project })
  moveTo('later')
  onTestFinished(() => void moveTo('topic'))
  await play(session, [DONE])
  expect(textOf(model.asked.at(-1)?.[0])).toContain('- Git: branch later')
})

it('acp finding 3: every model of a provider with a key is offered, by provider, with its levels of thinking', async () => {
  const opened = await editor.request('session/new', { cwd: project, mcpServers: [] })
  const optionsOf = (answer: Params) => answer['configOptions'] as readonly Params[]
  const groups = optionsOf(opened).find(({ id }) => id === 'model')?.['options'] as readonly Params[]
  const models = groups.flatMap(({ options }) => (options as readonly Params[]).map(({ value }) => String(value)))
  expect(models.filter((name) => name.startsWith('anthropic/')).length).toBeGreaterThanOrEqual(10)
  expect(new Set(models).size).toBe(models.length)
  const set = (configId: string, value: string) =>
    editor.request('session/set_config_option', { sessionId: opened['sessionId'], configId, value })
  const chosen = optionsOf(await set('model', 'anthropic/claude-opus-4-5'))
  const levels = chosen.find(({ id }) => id === 'thought_level')
  expect(levels).toMatchObject({ category: 'thought_level', currentValue: 'default' })
  expect(JSON.stringify(levels)).toContain('"high"')
  const raised = optionsOf(await set('thought_level', 'high'))
  expect(raised.find(({ id }) => id === 'thought_level')).toMatchObject({ currentValue: 'high' })
})

describe('acp finding 4: a question', () => {
  const question = {
    questions: [
      {
        question: 'Which colour?',
        header: 'Paint',
        options: [
          { label: 'red', description: 'warm as fire' },
          { label: 'blue', description: 'cold as ice' },
        ],
      },
    ],
  }

  it('to an editor without forms has buttons, with the descriptions of the choices', async () => {
    editor.permission = 'choice-1'
    const { answer } = await play(await open(), [uses('AskUserQuestion', question), DONE])
    expect(answer).toMatchObject({ stopReason: 'end_turn' })
    expect(heard()).toBe('blue')
    const asked = editor.permissions.at(-1) ?? {}
    expect(JSON.stringify(asked['toolCall'])).toMatch(/warm as fire.*cold as ice/)
    expect(namesOf(asked)).toEqual(['red', 'blue', 'Something else…'])
  })

  it('accepts a free answer there: the next prompt is the answer', async () => {
    editor.permission = 'in-words'
    const id = await open()
    const { answer } = await play(id, [uses('AskUserQuestion', question), DONE])
    expect(answer).toMatchObject({ stopReason: 'end_turn' })
    await editor.prompt(id, 'mauve')
    expect(heard()).toContain('mauve')
  })

  it('in a form has descriptions and a field for a free answer', async () => {
    let shown = ''
    editor.form = (request) => {
      shown = JSON.stringify(request)
      const { properties } = request['requestedSchema'] as { readonly properties: object }
      return { action: 'accept', content: { [Object.keys(properties).at(-1) ?? '']: 'mauve' } }
    }
    await play(await open({ elicitation: { form: {} } }), [uses('AskUserQuestion', question), DONE])
    expect(shown).toMatch(/warm as fire.*cold as ice/)
    expect(heard()).toBe('mauve')
  })
})

it('acp finding 5: rm -rf of a folder in the project needs an approval, and runs when it is allowed', async () => {
  await mkdir(at('build/deep'), { recursive: true })
  const before = editor.permissions.length
  const { updates } = await play(await open(), [uses('Bash', { command: 'rm -rf build' }), DONE])
  expect(editor.permissions).toHaveLength(before + 1)
  expect(lastCall(updates)).toMatchObject({ status: 'completed' })
  expect(existsSync(at('build'))).toBe(false)
})

it('acp finding 6: a tool call appears while the model writes its arguments', async () => {
  const gate = Promise.withResolvers<void>()
  const content = 'a line of the file\n'.repeat(50)
  const played = play(await open(), [{ ...uses('Write', { path: 'live.txt', content }), gate: gate.promise }, DONE])
  const from = editor.updates.length
  const isNew = (update: Update): boolean => editor.updates.indexOf(update) >= from
  // The model goes on only after the editor has shown the call with a part of its input.
  await editor.update((update) => isNew(update) && update.sessionUpdate === 'tool_call')
  await editor.update((update) => isNew(update) && JSON.stringify(update['rawInput'] ?? '').includes('a line of'))
  gate.resolve()
  expect((await played).answer).toMatchObject({ stopReason: 'end_turn' })
  expect(await readFile(at('live.txt'), 'utf8')).toBe(content)
})

it('acp finding 7: cancel keeps the output that was shown, for the user and for the model', async () => {
  const id = await open()
  const command = 'echo so far; sleep 600'
  const played = play(id, [uses('Bash', { command })])
  await editor.update((update) => JSON.stringify(update['content'] ?? '').includes('"so far\\n'))
  await editor.cancel(id)
  const { answer, updates } = await played
  expect(answer).toMatchObject({ stopReason: 'cancelled' })
  expect(lastCall(updates)).toMatchObject({ status: 'failed' })
  expect(JSON.stringify(lastCall(updates)?.['content'])).toContain('so far')
  await play(id, [DONE])
  expect(heard()).toContain('so far')
  expect(textOf(model.asked.at(-1)?.findLast(({ role }) => role === 'user'))).toMatch(/^\[I stopped you before/)
})

it('acp finding 8: a replay has the files, mentions and images that the user sent', async () => {
  const id = await open({})
  const prompt = [
    { type: 'text', text: 'look at' },
    { type: 'resource', resource: { uri: 'file:///w/a.ts', text: 'const a = 1\n', mimeType: 'text/x-typescript' } },
    { type: 'resource_link', uri: 'file:///w/b.ts', name: 'b.ts' },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
  ]
  model.play('look at', [DONE])
  await editor.request('session/prompt', { sessionId: id, prompt })
  const from = editor.updates.length
  await editor.request('session/load', { sessionId: id, cwd: project, mcpServers: [] })
  const sent = ofKind(editor.updates.slice(from), 'user_message_chunk')
  expect(sent.map(({ content }) => content)).toEqual(prompt)
})

describe('acp finding 9: always allow', () => {
  it('names what it covers, the narrowest first, and covers no more', async () => {
    const id = await open()
    editor.permission = ({ options }) => String((options as readonly Params[])[1]?.['optionId'])
    await play(id, [uses('Bash', { command: 'npm --version' }), DONE])
    const asked = editor.permissions.at(-1) ?? {}
    expect(namesOf(asked)).toEqual([
      'Allow once',
      'Always allow `npm --version` in this session',
      'Always allow `npm --version` in this project',
      'Always allow Bash, except dangerous commands, in this session',
      'Always allow Bash, except dangerous commands, in this project',
      'Reject',
    ])
    const before = editor.permissions.length
    await play(id, [uses('Bash', { command: 'npm --version' }), DONE])
    expect(editor.permissions).toHaveLength(before)
    editor.permission = 'reject'
    await play(id, [uses('Bash', { command: 'npm --help' }), DONE])
    await play(id, [uses('Bash', { command: 'git push --force' }), DONE])
    expect(editor.permissions).toHaveLength(before + 2)
  })

  it('for the whole tool does not cover a command that loses work', async () => {
    const id = await open()
    const widest = ({ options }: Params): string =>
      String((options as readonly Params[]).findLast(({ kind }) => kind === 'allow_always')?.['optionId'])
    editor.permission = (request) => widest(request).replace('-project', '')
    await play(id, [uses('Bash', { command: 'npm --version' }), DONE])
    const before = editor.permissions.length
    await play(id, [uses('Bash', { command: 'npm --help' }), DONE])
    expect(editor.permissions).toHaveLength(before)
    editor.permission = 'reject'
    const { updates } = await play(id, [uses('Bash', { command: 'git push --force' }), DONE])
    expect(editor.permissions).toHaveLength(before + 1)
    expect(lastCall(updates)).toMatchObject({ status: 'failed' })
  })
})

describe('acp finding 10:', () => {
  it('session/list finds a directory with a trailing slash and through a link', async () => {
    const id = await open()
    await play(id, [DONE])
    await symlink(project, join(dir.path, 'link'))
    for (const cwd of [project, `${project}/`, join(dir.path, 'link'), `${join(dir.path, 'link')}/`]) {
      const { sessions } = await editor.request('session/list', { cwd })
      expect((sessions as readonly Params[]).map(({ sessionId }) => sessionId)).toContain(id)
    }
  })

  it('a retry of the provider is shown while it happens', async () => {
    const id = await open()
    const { answer, updates } = await play(id, [{ ...DONE, failsOnce: 503 }])
    expect(answer).toMatchObject({ stopReason: 'end_turn' })
    expect(told(updates, 'agent_thought_chunk')).toMatch(/again/i)
    expect(told(updates, 'agent_message_chunk')).toBe('Done.')
  })

  it('an image in base64 without padding is taken', async () => {
    const id = await open()
    const image = { type: 'image', data: PIXEL.replace(/=+$/, ''), mimeType: 'image/png' }
    model.play('', [DONE])
    await editor.request('session/prompt', { sessionId: id, prompt: [image] })
    const from = editor.updates.length
    await editor.request('session/load', { sessionId: id, cwd: project, mcpServers: [] })
    expect(ofKind(editor.updates.slice(from), 'user_message_chunk')).toMatchObject([{ content: { data: PIXEL } }])
  })

  it('a turn continues after 50 model steps', async () => {
    const searches = Array.from({ length: 52 }, (_, index) => uses('Glob', { pattern: `${index}.txt` }))
    const { answer, updates } = await play(await open(), [...searches, DONE])
    expect(answer).toMatchObject({ stopReason: 'end_turn' })
    expect(ofKind(updates, 'tool_call')).toHaveLength(52)
  })

  it('a write that the editor refuses is not made', async () => {
    await writeFile(at('kept.txt'), 'one')
    editor.refusesWrites = true
    const writes = { calls: [['Write', { path: 'refused.txt', content: 'x' }]] } as const
    const id = await open(FILES)
    const { updates } = await play(id, [
      writes,
      uses('Read', { path: 'kept.txt' }),
      uses('Edit', { path: 'kept.txt', oldText: 'one', newText: 'two' }),
      DONE,
    ])
    expect(ofKind(updates, 'tool_call_update').filter(({ status }) => status === 'failed')).toHaveLength(2)
    expect(heard()).toContain('the editor refused to write this file')
    expect(existsSync(at('refused.txt'))).toBe(false)
    expect(await readFile(at('kept.txt'), 'utf8')).toBe('one')
  })

  it('diffs and edits are of the unsaved buffer', async () => {
    await writeFile(at('open.txt'), 'on disk')
    editor.buffers.set(at('open.txt'), 'not saved')
    const edit = uses('Edit', { path: 'open.txt', oldText: 'not saved', newText: 'edited' })
    const over = uses('Write', { path: 'open.txt', content: 'all new' })
    const { updates } = await play(await open(FILES), [uses('Read', { path: 'open.txt' }), edit, over, DONE])
    const diffs = updates.flatMap(({ content }) =>
      Array.isArray(content) ? (content as readonly Params[]).filter(({ type }) => type === 'diff') : [],
    )
    expect(diffs).toContainEqual(expect.objectContaining({ oldText: 'not saved', newText: 'edited' }))
    expect(diffs).toContainEqual(expect.objectContaining({ oldText: 'edited', newText: 'all new' }))
    expect(editor.buffers.get(at('open.txt'))).toBe('all new')
    expect(await readFile(at('open.txt'), 'utf8')).toBe('on disk')
  })

  it('an editor that answers "" for a missing file does not make the model read an empty file', async () => {
    editor.missing = 'empty'
    const id = await open(FILES)
    const { updates } = await play(id, [uses('Read', { path: 'nowhere.txt' }), DONE])
    expect(lastCall(updates)).toMatchObject({ status: 'failed' })
    expect(heard()).toMatch(/nowhere\.txt.*(not exist|no such|not found)/i)
    // The file can then be created, and its diff is that of a new file.
    const made = await play(id, [uses('Write', { path: 'nowhere.txt', content: 'made' }), DONE])
    expect(JSON.stringify(made.updates)).toContain('"oldText":null')
  })
})

describe('acp finding 11:', () => {
  it('additional directories, a fork, a title and the usage of a prompt', async () => {
    const library = join(await realpath(dir.path), 'library')
    await writeFile(join(library, 'shared.txt'), 'of the library')
    const opened = await editor.request('session/new', {
      ...{ cwd: project, mcpServers: [] },
      additionalDirectories: [library],
    })
    const id = String(opened['sessionId'])
    const { answer } = await play(id, [uses('Read', { path: join(library, 'shared.txt') }), DONE])
    expect(heard()).toContain('of the library')
    expect(answer['usage']).toMatchObject({ inputTokens: 20, outputTokens: 10, totalTokens: 30 })
    await editor.request('session/set_title', { sessionId: id, title: 'A library' })
    await editor.update(({ sessionUpdate, title }) => sessionUpdate === 'session_info_update' && title === 'A library')
    const forked = await editor.request('session/fork', { sessionId: id, cwd: project, mcpServers: [] })
    expect(forked['sessionId']).not.toBe(id)
    await play(String(forked['sessionId']), [DONE])
    expect(heard()).toContain('of the library')
  })
})
