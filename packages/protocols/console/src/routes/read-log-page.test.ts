import { describe, expect, it } from 'vitest'
import { PAGE_BYTES, asSessionId, type Recorded } from '@polylogue/engine'
import { readLogPage, type LogQuery } from './read-log-page.ts'

const sessionId = asSessionId('01900000-0000-7000-8000-000000000001')
const LARGE = PAGE_BYTES / 4

function logOf(sizes: readonly number[]) {
  const log = sizes.map((size, index): Recorded => {
    const reason = 'x'.repeat(size)
    const type = index % 2 === 0 ? 'input.dropped' : 'turn.interrupted'
    return { seq: index + 1, at: 0, event: { type, inputId: 'i', reason } as never }
  })
  return {
    log,
    // At most four large events a page, as a store does.
    events: {
      readEvents: async (_: unknown, after: number, limit: number) => log.slice(after, after + Math.min(limit, 4)),
    },
  }
}

type Wanted = Pick<LogQuery, 'before' | 'type' | 'limit'>

/** The seqs of each page until there is none, in the order of the answers. */
async function pagesOf(sizes: readonly number[], wanted: Wanted): Promise<readonly (readonly number[])[]> {
  const { log, events } = logOf(sizes)
  const pages: (readonly number[])[] = []
  let query: LogQuery = { sessionId, lastSeq: log.length, after: 0, ...wanted }
  for (;;) {
    const { page, next } = await readLogPage(events, query)
    expect(JSON.stringify(page).length).toBeLessThan(PAGE_BYTES + 2 * LARGE)
    pages.push(page.map(({ seq }) => seq))
    if (next === undefined) return pages
    query = query.before === undefined ? { ...query, after: next } : { ...query, before: next }
  }
}

const twenty = Array.from({ length: 20 }, () => LARGE)
const all = Array.from({ length: 20 }, (_, index) => index + 1)

describe('an answer holds a bounded part of the log, and the next one goes on where it ended', () => {
  it.each([1, 3, 1000])('backwards, %i at a time', async (limit) => {
    const pages = await pagesOf(twenty, { before: 21, limit })
    expect(pages.toReversed().flat()).toEqual(all)
  })

  it.each([1, 3, 1000])('forwards, %i at a time', async (limit) => {
    expect((await pagesOf(twenty, { limit })).flat()).toEqual(all)
  })

  it.each([1, 3, 1000])('by type, %i at a time', async (limit) => {
    const odd = all.filter((seq) => seq % 2 === 1)
    expect((await pagesOf(twenty, { type: 'input.dropped', limit })).flat()).toEqual(odd)
    const pages = await pagesOf(twenty, { type: 'input.dropped', before: 21, limit })
    expect(pages.toReversed().flat()).toEqual(odd)
  })

  it('an event that is larger than a page comes alone', async () => {
    const pages = await pagesOf([10, 5 * LARGE - 100, 10], { before: 4, limit: 1000 })
    expect(pages).toEqual([[3], [2], [1]])
  })

  it('small events come together', async () => {
    expect(await pagesOf([1, 1, 1, 1, 1, 1], { before: 7, limit: 1000 })).toEqual([[1, 2, 3, 4, 5, 6]])
  })
})
