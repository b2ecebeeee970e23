import type { Engine, MarkStore, StoredMark } from '@polylogue/engine'
import { createMemoryMarkStore, finishes, says, startSession, type TestSession } from '@polylogue/testkit'
import { describe, expect, it, vi } from 'vitest'
import { readMissedEvents } from '../socket/missed-events.ts'
import { plainDescribe } from '../test-support/watch-session.ts'
import { attachProjection } from './attach-projection.ts'
import { MARK_KIND } from './mark-content.ts'
import { ProjectionMarks } from './projection-marks.ts'
import { RowReader, type RowPage } from './row-reader.ts'

const TURNS = 60
const SPACING = 20
const PARAMETERS = { type: 'object', properties: { text: { type: 'string', description: 'long '.repeat(400) } } }

interface Marked extends TestSession {
  readonly store: TestSession['store']
  readonly marks: MarkStore
  stored(): Promise<readonly StoredMark[]>
  /** What a process that has just started reads, and where it begins. */
  readAnew(asked?: { readonly at?: number; readonly before?: number }): Promise<{ page: RowPage; begins: number[] }>
}

async function openMarked(): Promise<Marked> {
  const clientTools = [{ name: 'show', description: 'Shows a text.', parameters: PARAMETERS }]
  const test = await startSession({}, { clientTools })
  for (let turn = 0; turn < TURNS; turn++) {
    test.model.push([says(`answer ${turn}`), finishes()])
    await test.say(`question ${turn}`)
    await test.untilRest()
  }
  const marks = createMemoryMarkStore(test.store)
  return {
    ...test,
    marks,
    stored: () => marks.read(test.sessionId, MARK_KIND),
    async readAnew(asked = {}) {
      const begins: number[] = []
      const reader = new RowReader(spyOn(test.engine, begins), plainDescribe, fresh(marks))
      const page = await reader.read({ userId: test.user, sessionId: test.sessionId, limit: 10, ...asked })
      return { page, begins }
    },
  }
}

const fresh = (store: MarkStore): ProjectionMarks => new ProjectionMarks({ spacing: SPACING, store })

function spyOn(engine: Engine, begins: number[]): Pick<Engine, 'attach'> {
  return {
    attach(userId, sessionId, options) {
      begins.push(options.after.seq)
      return engine.attach(userId, sessionId, options)
    },
  }
}

describe('console 75: the marks of a long log', () => {
  it('are stored where the session rests, and a new process begins at the last one', async () => {
    const test = await openMarked()
    const first = await test.readAnew()
    expect(first.begins[0]).toBe(0)
    await vi.waitFor(async () => expect((await test.stored()).length).toBeGreaterThan(5))
    const stored = await test.stored()
    const events = await test.events()
    for (const { seq } of stored) expect(events[seq - 1]?.type).toBe('turn.ended')
    const gaps = stored.map(({ seq }, index) => seq - (stored[index - 1]?.seq ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(SPACING)
    expect(Math.max(...gaps)).toBeLessThan(SPACING * 2)

    const again = await test.readAnew()
    expect(again.page).toEqual(first.page)
    expect(again.begins[0]).toBe(stored.at(-1)?.seq)
    const past = await test.readAnew({ at: 150, before: 30 })
    expect(past.begins[0]).toBe(stored.findLast(({ seq }) => seq <= 150)?.seq)
  })

  it('name what has changed since the one before, so that long values are stored once', async () => {
    const test = await openMarked()
    await test.readAnew()
    await vi.waitFor(async () => expect((await test.stored()).length).toBeGreaterThan(5))
    const [whole, ...others] = await test.stored()
    expect(whole?.content.length).toBeGreaterThan(2_000)
    for (const { content } of others) expect(content.length).toBeLessThan(300)
  })

  it('are left out from a damaged one on, and made again', async () => {
    const test = await openMarked()
    const { page } = await test.readAnew()
    await vi.waitFor(async () => expect((await test.stored()).length).toBeGreaterThan(5))
    const stored = await test.stored()
    for (const damaged of ['{"base":1}', 'not JSON', undefined]) {
      const marks = createMemoryMarkStore(test.store)
      const kept = stored.flatMap((mark, index) =>
        index !== 2 ? [mark] : damaged === undefined ? [] : [{ ...mark, content: damaged }],
      )
      await marks.keep(test.sessionId, MARK_KIND, kept)
      const begins: number[] = []
      const reader = new RowReader(spyOn(test.engine, begins), plainDescribe, fresh(marks))
      expect(await reader.read({ userId: test.user, sessionId: test.sessionId, limit: 10 })).toEqual(page)
      expect(begins[0]).toBe(stored[1]?.seq)
    }
  })

  it('are ignored if another format of the projection made them', async () => {
    const test = await openMarked()
    await test.marks.keep(test.sessionId, { ...MARK_KIND, format: MARK_KIND.format + 1 }, [{ seq: 100, content: '{}' }])
    expect((await test.readAnew()).begins[0]).toBe(0)
  })

  it('serve those who subscribe, and those who come back with an old number', async () => {
    const test = await openMarked()
    const source = { userId: test.user, sessionId: test.sessionId, describe: plainDescribe }
    const watch = async (marks: ProjectionMarks, begins: number[]) =>
      attachProjection({ ...source, engine: spyOn(test.engine, begins), marks }, { told() {}, closed() {} })
    const whole = await watch(fresh(test.marks), [])
    await vi.waitFor(async () => expect((await test.stored()).length).toBeGreaterThan(5))
    const stored = await test.stored()
    const begins: number[] = []
    const later = await watch(fresh(test.marks), begins)
    expect(begins).toEqual([stored.at(-1)?.seq])
    expect([later.projection.seq, later.projection.patchSequence]).toEqual([
      whole.projection.seq,
      whole.projection.patchSequence,
    ])

    const after = (stored[3]?.seq ?? 0) + 3
    const missedBy = async (marks: ProjectionMarks | undefined, seen: number[]) =>
      (
        await readMissedEvents(spyOn(test.engine, seen), { ...source, after }, { describe: plainDescribe, marks })
      ).take()
    const seen: number[] = []
    expect(await missedBy(fresh(test.marks), seen)).toEqual(await missedBy(undefined, []))
    expect(seen).toEqual([stored[3]?.seq])
  })

  it('are stored by a live reader too, and a store that fails costs nothing but time', async () => {
    const test = await openMarked()
    const failures: unknown[] = []
    const broken: MarkStore = {
      keep: () => Promise.reject(new Error('full')),
      read: () => Promise.reject(new Error('gone')),
    }
    const marks = new ProjectionMarks({ spacing: SPACING, store: broken, failed: (error) => failures.push(error) })
    const reader = new RowReader(test.engine, plainDescribe, marks)
    const page = await reader.read({ userId: test.user, sessionId: test.sessionId, limit: 10 })
    expect(page).toEqual((await test.readAnew()).page)
    await vi.waitFor(() => expect(failures.map(String)).toEqual(['Error: gone', 'Error: full']))

    const live = createMemoryMarkStore(test.store)
    const source = { userId: test.user, sessionId: test.sessionId, describe: plainDescribe, engine: test.engine }
    await attachProjection({ ...source, marks: fresh(live) }, { told() {}, closed() {} })
    const last = async () => (await live.read(test.sessionId, MARK_KIND)).at(-1)?.seq ?? 0
    const before = await vi.waitFor(async () => (expect(await last()).toBeGreaterThan(0), last()))
    for (let turn = 0; turn < 5; turn++) {
      test.model.push([says('more'), finishes()])
      await test.say('go on')
      await test.untilRest()
    }
    await vi.waitFor(async () => expect(await last()).toBeGreaterThan(before))
  })

  it('have a format that rises with every change of what they hold', async () => {
    const test = await openMarked()
    await test.readAnew()
    await vi.waitFor(async () => expect((await test.stored()).length).toBeGreaterThan(5))
    const [, second] = await test.stored()
    // If these numbers change, the projection has changed: raise MARK_KIND.format, then write the new numbers here.
    expect(MARK_KIND).toEqual({ door: 'blade', format: 1 })
    expect(JSON.parse(second?.content ?? '')).toMatchObject({
      base: 25,
      begun: { from: 3, added: [27, 28, 33, 34, 39, 40, 45, 46] },
      changed: { rows: 16, opened: 16, patches: 8 },
    })
  })
})
