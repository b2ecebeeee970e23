import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject, Tool, ToolOutput } from '@polylogue/engine'
import { createFakeClock, createInvocation } from '@polylogue/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDemoTools } from './demo-tools.ts'

const MARCH = Date.UTC(2026, 2, 1, 5, 30)

let dir: string
let tools: readonly Tool[]
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'demo-tools-'))
  tools = createDemoTools({ clock: createFakeClock(MARCH), notesDir: join(dir, 'demo-notes') })
})
afterEach(() => rm(dir, { recursive: true }))

function find(name: string): Tool {
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  return tool
}

function run(name: string, input: JsonObject, user = 'local'): Promise<ToolOutput> {
  return find(name).run(createInvocation(find(name), input, { userId: user }))
}

const notesOf = (user: string): Promise<string> => readFile(join(dir, 'demo-notes', `${user}.txt`), 'utf8')

describe('the demo tools', () => {
  it('are one that only reads and one that changes something, both for clients to see', () => {
    expect(tools.map(({ name, effect, exposed }) => ({ name, effect, exposed }))).toEqual([
      { name: 'CurrentTime', effect: 'readonly', exposed: true },
      { name: 'KeepNote', effect: 'unsafe', exposed: true },
    ])
  })

  it.each([
    ['Asia/Tokyo', '2026-03-01 14:30:00 Asia/Tokyo (GMT+9)'],
    ['America/New_York', '2026-03-01 00:30:00 America/New_York (GMT-5)'],
  ])('CurrentTime returns the time in %s', async (timeZone, content) => {
    expect(await run('CurrentTime', { timeZone })).toEqual({ content })
  })

  it('CurrentTime takes the time zone of the server when none is named', async () => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    expect(await run('CurrentTime', {})).toEqual(await run('CurrentTime', { timeZone }))
  })

  it('CurrentTime refuses an unknown time zone', () => {
    expect(find('CurrentTime').check({ timeZone: 'Mars/Base' })).toEqual({
      ok: false,
      problem: 'timeZone: must be a time zone such as Asia/Tokyo',
    })
  })

  it('KeepNote adds a line for every note, to a file of each user', async () => {
    expect(await run('KeepNote', { text: 'buy milk' })).toEqual({ content: 'Note 1 is in demo-notes/local.txt.' })
    expect(await run('KeepNote', { text: 'sell it' })).toEqual({ content: 'Note 2 is in demo-notes/local.txt.' })
    expect(await run('KeepNote', { text: 'hers' }, 'anna')).toEqual({ content: 'Note 1 is in demo-notes/anna.txt.' })
    expect(await notesOf('local')).toBe('2026-03-01T05:30:00.000Z buy milk\n2026-03-01T05:30:00.000Z sell it\n')
    expect((await stat(join(dir, 'demo-notes', 'local.txt'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(dir, 'demo-notes'))).mode & 0o777).toBe(0o700)
  })

  it('KeepNote writes one harmless line, whatever the text holds', async () => {
    await run('KeepNote', { text: 'one\ntwo\u001b[2J three' }, '../up')
    expect(await notesOf('..%2Fup')).toBe('2026-03-01T05:30:00.000Z one two [2J three\n')
  })

  it.each<JsonObject>([{}, { text: ' ' }, { text: 'x'.repeat(501) }])('KeepNote refuses %j', (input) => {
    expect(find('KeepNote').check(input)).toMatchObject({ ok: false, problem: expect.stringMatching(/^text: /) })
  })

  it('KeepNote reports a full file and does not change it', async () => {
    await run('KeepNote', { text: 'first' })
    await writeFile(join(dir, 'demo-notes', 'local.txt'), 'x'.repeat(64 * 1024))
    expect(await run('KeepNote', { text: 'last' })).toEqual({
      content: 'local.txt is full; delete it to go on.',
      isError: true,
    })
    expect(await notesOf('local')).toHaveLength(64 * 1024)
  })

  it('KeepNote says that it failed, and not where', async () => {
    await writeFile(join(dir, 'demo-notes'), 'in the way')
    const output = await run('KeepNote', { text: 'first' })
    expect(output).toEqual({ content: expect.stringMatching(/^The note was not kept: E\w+\.$/), isError: true })
  })
})
