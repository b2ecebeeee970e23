import { realpathSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { runPolylogue } from './run-polylogue.ts'

let dir: TempDir
beforeEach(async () => {
  dir = await createTempDir()
})
afterEach(() => dir.remove())

const polylogue = (...args: readonly string[]) =>
  runPolylogue([...args, '--data', join(dir.path, 'data')], { cwd: dir.path })

const importFrom = (file: string, claude: string) =>
  runPolylogue(['import', 'claude', file, '--scripted', '--data', join(dir.path, 'data')], {
    cwd: dir.path,
    environment: { CLAUDE_CONFIG_DIR: claude },
  })

const RECORDS = [
  { type: 'summary', summary: 'About a.txt' },
  { type: 'user', uuid: 'a', parentUuid: null, message: { role: 'user', content: 'What is in a.txt?' } },
  {
    type: 'assistant',
    uuid: 'b',
    parentUuid: 'a',
    message: { id: 'm', role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Read', input: { p: 1 } }] },
  },
  {
    type: 'user',
    uuid: 'c',
    parentUuid: 'b',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'nothing' }] },
  },
  { type: 'progress' },
]

it('a session of Claude Code is imported, continued and exported in every format', async () => {
  await writeFile(join(dir.path, 'old.jsonl'), RECORDS.map((found) => JSON.stringify(found)).join('\n'))
  const imported = await polylogue('import', 'claude', 'old.jsonl', '--agent', 'scripted', '--scripted')
  expect(imported).toMatchObject({
    code: 0,
    stderr: 'old.jsonl: 3 messages. No counterpart here: 1 records of the type progress.\n',
  })
  const id = imported.stdout.trim()
  expect((await polylogue('run', '--scripted', '--session', id, 'say Nothing.')).stdout).toBe('Nothing.\n')

  const markdown = await polylogue('sessions', 'export', id, '--format', 'markdown')
  expect(markdown.stdout).toMatch(/^# About a\.txt\n[^]*## User\n\nWhat is in a\.txt\?\n[^]*## Agent\n\nNothing\.\n/)
  await polylogue('sessions', 'export', id, '--format', 'html', '--output', 'session.html')
  expect(await readFile(join(dir.path, 'session.html'), 'utf8')).toContain('<title>About a.txt</title>')
  const log = (await polylogue('sessions', 'export', id, '--format', 'jsonl')).stdout.trimEnd().split('\n')
  const events = log.map((line) => JSON.parse(line) as { seq: number; event: { type: string } })
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(events.at(-1)?.event.type).toBe('turn.ended')
})

it('a file chooses the working directory only where Claude Code keeps it for that directory', async () => {
  const [project, kept, claude] = ['my app', 'elsewhere', 'claude'].map((name) => join(dir.path, name)) as [
    string,
    string,
    string,
  ]
  const folder = join(claude, 'projects', project.replaceAll(/[^A-Za-z0-9]/g, '-'))
  for (const path of [project, kept, folder]) await mkdir(path, { recursive: true })
  const text = RECORDS.map((found) => JSON.stringify({ ...found, cwd: project })).join('\n')
  const directories: unknown[] = []
  for (const file of [join(folder, 'a.jsonl'), join(kept, 'a.jsonl')]) {
    await writeFile(file, text)
    const id = (await importFrom(file, claude)).stdout.trim()
    const shown = JSON.parse((await polylogue('sessions', 'show', id, '--json')).stdout) as {
      session: { directories: readonly string[] }
    }
    directories.push(shown.session.directories)
  }
  expect(directories).toEqual([[project], [dir.path]].map((paths) => paths.map((path) => realpathSync(path))))
})

it('an invalid file is refused before anything is imported', async () => {
  await writeFile(join(dir.path, 'other.jsonl'), '{"hello":1}\n')
  expect(await polylogue('import', 'claude', 'other.jsonl')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'polylogue: other.jsonl: not a session of Claude Code.\n',
  })
})
