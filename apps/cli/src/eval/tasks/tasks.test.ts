import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkTask } from '../check-task.ts'
import { EVAL_TASKS } from './tasks.ts'

let dir: string
beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'eval-tasks-')))
})
afterAll(() => rm(dir, { recursive: true }))

it('there are thirty repositories, each with a failing test', { timeout: 60_000 }, async () => {
  expect(new Set(EVAL_TASKS.map(({ name }) => name)).size).toBe(30)
  expect(new Set(EVAL_TASKS.map(({ prompt }) => prompt)).size).toBe(30)
  const passing: string[] = []
  for (const task of EVAL_TASKS) {
    const folder = join(dir, task.name)
    for (const [path, text] of Object.entries(task.files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    if ((await checkTask(task, folder)).passed) passing.push(task.name)
  }
  expect(passing).toEqual([])
})

it('a check reads the repository, and neither writes nor starts a program', async () => {
  const folder = join(dir, 'limits')
  await mkdir(folder)
  const check = (test: string) =>
    checkTask({ name: '', about: '', prompt: '', answers: [], files: { 'test.mjs': test } }, folder)
  expect(await check('')).toEqual({ passed: true })
  const writing = await check("import { writeFileSync } from 'node:fs'\nwriteFileSync('x', '')")
  expect(writing).toEqual({ passed: false, why: expect.stringContaining('Error') })
  const starting = await check("import { execFileSync } from 'node:child_process'\nexecFileSync('true')")
  expect(starting).toEqual({ passed: false, why: expect.stringContaining('Error') })
})
