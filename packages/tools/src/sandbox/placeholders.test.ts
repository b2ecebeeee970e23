import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sweepLeftovers } from '../bash/running-calls.ts'
import { createPlaceholders } from './placeholders.ts'

let folder: string
let state: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placeholders-'))
  state = join(folder, 'state')
  path = join(folder, 'polylogue.config.ts')
})

afterEach(() => rmSync(folder, { recursive: true }))

it('a placeholder exists while it is held', () => {
  const placeholders = createPlaceholders(state)
  expect([placeholders.take(path), placeholders.take(path)]).toEqual([true, true])
  placeholders.giveBack(path)
  expect(existsSync(path)).toBe(true)
  placeholders.giveBack(path)
  expect([existsSync(path), readdirSync(join(state, 'placeholders'))]).toEqual([false, []])
})

it('an existing file is not a placeholder, and leaves no note', () => {
  mkdirSync(path)
  expect(createPlaceholders(state).take(path)).toBe(false)
  expect(readdirSync(join(state, 'placeholders'))).toEqual([])
})

it('the next start removes what a killed server left', async () => {
  createPlaceholders(state).take(path)
  await sweepLeftovers(state)
  expect([existsSync(path), readdirSync(join(state, 'placeholders'))]).toEqual([false, []])
})

it('the next start keeps a placeholder that has been filled since', async () => {
  createPlaceholders(state).take(path)
  writeFileSync(join(path, 'mine'), '')
  await sweepLeftovers(state)
  expect([existsSync(path), readdirSync(join(state, 'placeholders'))]).toEqual([true, []])
})
