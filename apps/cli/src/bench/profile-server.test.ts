import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parseCpuProfile } from './cpu-profile.ts'
import { profileServer } from './profile-server.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'polylogue-profile-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

it('a profile of the server under load shows what it does, and its flame graph too', async () => {
  const files = await profileServer(join(directory, 'new'), { connections: 5, deltasPerTurn: 100, turns: 20 })
  const { nodes, samples } = parseCpuProfile(await readFile(files.profile, 'utf8'))
  expect(samples.length).toBeGreaterThan(100)
  expect(nodes.map(({ callFrame }) => callFrame.functionName)).toContain('writeChunk')
  const page = await readFile(files.flameGraph, 'utf8')
  expect(page).toMatch(/^<!doctype html>/)
  expect(page).toContain('packages/protocols/kit/src/sse/event-stream.ts')
})
