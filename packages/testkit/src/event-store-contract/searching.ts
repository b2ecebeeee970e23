import { asEntryId, type ListingQuery, type RecordedEvent } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import type { OpenedEventStore } from '../event-store-contract.ts'
import { OTHER_USER, TURN, USER, addition, creation, session } from './samples.ts'

/** A message from a user. */
const input = (text: string): RecordedEvent => ({
  type: 'input.admitted',
  inputId: asEntryId(`entry_${text.length}`),
  turnId: TURN,
  content: text,
})

const answer = (text: string): RecordedEvent => ({
  type: 'step.answered',
  turnId: TURN,
  stepId: asEntryId('entry_step'),
  blocks: [{ type: 'text', text }],
  routes: {},
  finish: 'stop',
  usage: { inputTokens: 1, outputTokens: 1 },
})

export function describeSearching(subject: () => OpenedEventStore): void {
  describe('a search by text', () => {
    const listing = { isPinned: false, isStarted: true }
    const create = (number: number, title: string, events: readonly RecordedEvent[] = [answer('')]) =>
      creation(session(number), { at: number, summary: String(number), listing: { ...listing, title }, events })
    const found = async (text: string, more: Partial<ListingQuery> = {}): Promise<string> => {
      const page = await subject().store.findSessions({ userId: USER, text, offset: 0, limit: 10, ...more })
      expect(page.isPartial).toBeUndefined()
      expect(page.total).toBeGreaterThanOrEqual(page.rows.length)
      return page.rows.map(({ summary }) => summary).join(' ')
    }

    it('finds a part of a title, whatever its signs', async () => {
      const { store } = subject()
      await store.append(create(1, 'Mend the ROOF'))
      await store.append(create(2, '100% of a_b\\c'))
      expect(await found('roof')).toBe('1')
      expect(await found('end the r')).toBe('1')
      expect(await found('100%')).toBe('2')
      expect(await found('a_b\\')).toBe('2')
      expect(await found('aXb')).toBe('')
    })

    it('finds a part of a long title near its start, and words of it anywhere', async () => {
      const { store } = subject()
      await store.append(create(1, `begin-with ${'filling '.repeat(200)}the end-of-it`))
      expect(await found('gin-wi')).toBe('1')
      expect(await found('end of')).toBe('1')
      expect(await found('d-of-i')).toBe('')
    })

    it('finds messages and titles together', async () => {
      const { store } = subject()
      await store.append(create(1, 'Animals', [input('Do you know the walrus?'), answer('It lives in the Arctic.')]))
      await store.append(create(2, 'Walrus'))
      await store.append(create(3, 'Other', [input('nothing')]))
      expect(await found('WALRUS')).toBe('2 1')
      expect(await found('walr')).toBe('2 1')
      expect(await found('arctic animals walrus')).toBe('1')
      expect(await found('walrus nothing')).toBe('')
    })

    it.each([
      ['ПРИВЕТ', 'привет, мир'],
      ['σισυφος', 'ο ΣΊΣΥΦΟΣ'],
      ['uber', 'Über den Wolken'],
      ['STRASSE', 'in der Straße'],
      ['istanbul', 'İstanbul'],
      ['绿茶', '我喜欢喝绿茶，不要糖'],
      ['喜欢喝绿茶', '我喜欢喝绿茶，不要糖'],
      ['糖', '我喜欢喝绿茶，不要糖'],
      ['緑茶', '私は緑茶が好きです'],
      ['한국', '한국어를 배운다'],
      ['ไทย', 'ภาษาไทย'],
      ['शब्द', 'यह एक शब्द है'],
      ['سلام', 'سَلام عليكم'],
      ['🦜', 'a parrot 🦜!'],
    ])('finds %j in %j, and nowhere else', async (text, said) => {
      const { store } = subject()
      await store.append(create(1, 'a', [input(said)]))
      await store.append(create(2, 'b', [input('something else, 其他的事')]))
      expect(await found(text)).toBe('1')
    })

    it.each([
      '"',
      '""',
      '*',
      'AND',
      'a OR b',
      'NEAR(a b)',
      'words : x',
      '^x',
      "x'; --",
      '(',
      'x"y',
      '\u0000',
      '%',
      ' ',
    ])('takes %j for text', async (text) => {
      await subject().store.append(create(1, 'zzz', [input('qqq')]))
      await subject().store.findSessions({ userId: USER, text, offset: 0, limit: 10 })
      expect(await found('qqq')).toBe('1')
    })

    it('finds sessions of one user only', async () => {
      const { store } = subject()
      await store.append({ ...create(1, 'walrus', [input('tusk')]), create: { userId: OTHER_USER } })
      await store.append(create(2, 'walrus', [input('tusk')]))
      expect(await found('walrus')).toBe('2')
      expect(await found('tusk')).toBe('2')
      expect(await found('tusk', { userId: OTHER_USER })).toBe('1')
    })

    it('sees every append, also one that changes the title', async () => {
      const { store } = subject()
      await store.append(create(1, 'First', [input('one')]))
      expect(await found('two')).toBe('')
      await store.append(addition(session(1), 1, { events: [answer('two')] }))
      expect(await found('two')).toBe('1')
      const renamed = { ...listing, title: 'Second' }
      await store.append(addition(session(1), 2, { at: 3, summary: '1', listing: renamed, events: [answer('three')] }))
      expect(await found('first')).toBe('')
      expect(await found('second one three')).toBe('1')
    })

    it('goes by the order, the page and the other conditions of a list', async () => {
      const { store } = subject()
      for (let number = 1; number <= 5; number++) await store.append(create(number, 'x', [input('walrus')]))
      const pinned = { ...listing, title: 'x', isPinned: true, directory: '/a' }
      await store.append(addition(session(2), 1, { at: 2, summary: '2', listing: pinned }))
      expect(await found('walrus')).toBe('2 5 4 3 1')
      expect(await found('walrus', { offset: 1, limit: 2 })).toBe('5 4')
      expect(await found('walrus', { order: 'newest-first' })).toBe('5 4 3 2 1')
      expect(await found('walrus', { directory: '/a' })).toBe('2')
      const { total } = await store.findSessions({ userId: USER, text: 'walrus', offset: 0, limit: 2 })
      expect(total).toBe(5)
    })

    it('finds nothing of a deleted session', async () => {
      const { store } = subject()
      await store.append(create(1, 'walrus', [input('tusk')]))
      expect(await found('tusk')).toBe('1')
      await store.deleteSession(session(1))
      expect(await found('tusk')).toBe('')
      expect(await found('walrus')).toBe('')
    })

    it('finds the words of long texts and of many sessions', async () => {
      const { store } = subject()
      const long = Array.from({ length: 12_000 }, (_, index) => `w${index}`).join(' ')
      await store.append(create(1, 'long', [input(`${long} lastword`)]))
      await Promise.all(
        Array.from({ length: 300 }, (_, index) => store.append(create(index + 2, 'x', [input('many')]))),
      )
      expect(await found('w0 w5999 w11999 lastword')).toBe('1')
      const { total } = await store.findSessions({ userId: USER, text: 'many', offset: 250, limit: 10 })
      expect(total).toBe(300)
    })

    it('finds the same when the store is opened again', async () => {
      const { store, reopen } = subject()
      await store.append(create(1, 'Title', [input('searched before')]))
      expect(await found('searched')).toBe('1')
      await store.append(addition(session(1), 1, { events: [answer('closed before')] }))
      const again = (await reopen?.()) ?? store
      const page = await again.findSessions({ userId: USER, text: 'title searched closed', offset: 0, limit: 10 })
      expect(page).toEqual({ rows: [{ sessionId: session(1), summary: '1' }], total: 1 })
    })
  })
}
