import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Finished, runPolylogue } from '../cli/run-polylogue.ts'
import { askOwner } from '../support/owner-socket.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

let dir: TempDir
let server: ServerProcess
beforeAll(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: dir.path })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

const memory = (args: readonly string[], input = ''): Promise<Finished> =>
  runPolylogue(['memory', ...args], { cwd: dir.path, input, environment: { POLYLOGUE_DATA: dir.path, TZ: 'UTC' } })

const rowsOf = ({ stdout }: Finished): readonly (readonly string[])[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))

/** All that there can be, so that each test begins with nothing. */
beforeEach(async () => {
  for (let first = 1; first <= 200; first += 100) {
    const ids = Array.from({ length: 100 }, (_, index) => first + index)
    await askOwner(dir.path, { method: 'POST', path: '/api/polylogue/memory/batch', body: { action: 'delete', ids } })
  }
})

describe('polylogue memory', () => {
  it('adds, corrects, lists and removes', async () => {
    const first = await memory(['add', 'We deploy on Tuesdays', '--topic', 'deploys', '--type', 'experience'])
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/), stderr: '' })
    const old = first.stdout.trim()
    const second = await memory(['add', '-', '--supersedes', old, '--json'], 'We deploy\non Fridays\n')
    const added = JSON.parse(second.stdout) as { id: number; content: string }
    expect(added.content).toBe('We deploy\non Fridays')
    const [head, newest, oldest, ...more] = rowsOf(await memory(['list']))
    expect(head).toEqual(['ID', 'TYPE', 'CREATED', 'USED', 'ORIGIN', 'STATE', 'MEMORY'])
    expect(newest).toEqual([String(added.id), 'feedback', expect.any(String), '0', 'you', 'We deploy\\non Fridays'])
    expect(oldest?.slice(3)).toEqual(['0', 'you', `see ${added.id}`, 'We deploy on Tuesdays'])
    expect(more).toEqual([])
    const found = await memory(['list', '--keyword', 'TUESDAY', '--type', 'experience', '--topic', 'deploys', '--json'])
    expect(JSON.parse(found.stdout)).toMatchObject({ memories: [{ id: Number(old), topic: 'deploys' }], total: 1 })
    const removed = await memory(['remove', old, String(added.id)])
    expect(removed).toMatchObject({ code: 0, stderr: `Removed ${old}.\nRemoved ${added.id}.\n` })
    expect(await memory(['remove', old])).toMatchObject({ code: 1, stderr: 'polylogue: No such memory.\n' })
    expect(await memory(['list'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('There are no memories.'),
    })
  })

  it('lists more than a page, and says when there is more', async () => {
    for (let index = 0; index < 104; index++) {
      await askOwner(dir.path, { method: 'POST', path: '/api/polylogue/memory', body: { content: `fact ${index}` } })
    }
    const all = JSON.parse((await memory(['list', '--limit', '500', '--json'])).stdout) as { memories: unknown[] }
    expect(all.memories).toHaveLength(104)
    const some = await memory(['list', '--limit', '3'])
    expect(rowsOf(some)).toHaveLength(4)
    expect(some.stderr).toBe('Showing 3 of 104. Use --limit to see more.\n')
  })

  it.each([
    [['add', ' '], 'content: must not be empty'],
    [['add', 'x'.repeat(501)], 'content: must have at most 500 characters'],
    [['add', 'x', '--supersedes', '999999'], 'supersedes: no such memory.'],
  ])('refuses %j in one sentence', async (args, sentence) => {
    expect(await memory(args)).toMatchObject({ code: 1, stdout: '', stderr: `polylogue: ${sentence}\n` })
  })
})
