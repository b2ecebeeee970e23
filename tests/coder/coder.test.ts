import { execFileSync } from 'node:child_process'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { type ToolCallingServer, startToolCallingServer } from '../models/tool-calling-server.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

let dir: TempDir
let project: string
let models: ToolCallingServer
beforeAll(async () => {
  dir = await createTempDir()
  project = join(await realpath(dir.path), 'app')
  await mkdir(project)
  await writeFile(join(project, 'AGENTS.md'), 'Use tabs.\n')
  execFileSync('git', ['init', '-b', 'topic'], { cwd: project, stdio: 'ignore' })
  models = await startToolCallingServer({
    'What do you see?': [{ calls: [{ name: 'Read', input: { path: 'AGENTS.md' } }] }, { text: 'Tabs.' }],
  })
})
afterAll(async () => {
  await models.stop()
  await dir.remove()
})

const ask = () =>
  runPolylogue(['run', '--data', join(dir.path, 'data'), 'What do you see?'], {
    cwd: project,
    environment: { POLYLOGUE_MODEL: '', OPENAI_BASE_URL: models.baseUrl, HOME: dir.path, XDG_CONFIG_HOME: '' },
  })

describe('polylogue run in a project', () => {
  it(
    'acp finding 1: has the coder work there, with its environment and its instructions',
    { timeout: 30_000 },
    async () => {
      const first = await ask()
      expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Tabs.') })
      expect(first.stderr).toMatch(/AGENTS\.md is used as instructions[^]*→ Read/)
      expect(models.faults).toEqual([])
      const [system, ...others] = models.asked.map(([message]) => String(message?.content))
      expect(system).toMatch(/^You are a coding agent\./)
      expect(system).toContain(`- Working directory: ${project}\n`)
      expect(system).toContain('- Git: branch topic, 1 untracked')
      expect(system).toContain('Use tabs.')
      expect(others).toEqual([system])
      expect(models.asked[1]?.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('Use tabs.') })
    },
  )

  it('names the instruction file once, before it is used', { timeout: 30_000 }, async () => {
    const file = join(project, 'AGENTS.md')
    await writeFile(file, 'Use tabs.\n')
    expect((await ask()).stderr).not.toContain(file)
    await writeFile(file, 'Use spaces.\n')
    const changed = await ask()
    expect(changed.stderr).toContain(`${file} has changed since it was trusted`)
    expect(String(models.asked.at(-1)?.[0]?.content)).not.toContain('Use spaces.')
  })
})
