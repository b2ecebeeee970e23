import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MEMORY_LIMITS, asSessionId, asUserId, type Memory, type MemoryStore, type NewMemory } from '@polylogue/engine'
import type { FakeClock } from './fake-clock.ts'

/** A memory store that only one test uses. */
export interface OpenedMemoryStore {
  readonly store: MemoryStore
  /** The clock of the store. */
  readonly clock: FakeClock
  /** Closes the store and opens its database again. Absent: the store itself must still have everything. */
  readonly reopen?: () => Promise<MemoryStore>
  /** Closes the store and removes its files. */
  close(): Promise<void>
}

const ADA = asUserId('ada')
const GRACE = asUserId('grace')

const FULL: NewMemory = {
  type: 'experience',
  content: 'The staging server "kiwi" needs VPN \u{1F600}\u0000 第二行\n',
  skillName: 'deploy',
  recordType: 'skill-comment',
  scope: 'project',
  owner: 'ops',
  topic: 'Servers',
  externalId: 'mem0-17',
  writeReason: 'the user said so',
  sourceSession: asSessionId('01900000-0000-7000-8000-000000000000'),
  origin: 'tool',
  sourceTool: 'WebFetch',
}

const idsOf = (memories: readonly Memory[]): readonly number[] => memories.map(({ memoryId }) => memoryId)

export function memoryStoreContract(name: string, open: () => Promise<OpenedMemoryStore>): void {
  describe(`${name} keeps the contract of a memory store`, () => {
    let opened: OpenedMemoryStore | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const subject = (): OpenedMemoryStore => {
      if (opened === undefined) throw new Error('the store is opened before each test')
      return opened
    }
    const add = async (content: string, more: Partial<NewMemory> = {}, userId = ADA): Promise<Memory> => {
      const added = await subject().store.addMemory(userId, { type: 'feedback', content, ...more })
      if (added.type !== 'added') throw new Error(`not added: ${JSON.stringify(added)}`)
      return added.memory
    }
    const list = async (query = {}, userId = ADA): Promise<readonly Memory[]> =>
      (await subject().store.listMemories(userId, { limit: 100, ...query })).memories
    const recall = async (text: string, limit = 5, userId = ADA): Promise<readonly string[]> =>
      (await subject().store.recall(userId, text, limit)).map(({ content }) => content)

    it('gives back everything that was said of a memory, and what it adds itself', async () => {
      const { store, clock } = subject()
      const { memoryId, ...rest } = await add(FULL.content, FULL)
      expect(Number.isSafeInteger(memoryId)).toBe(true)
      expect(rest).toEqual({ ...FULL, createdAt: clock.now(), hitCount: 0, isDisabled: false })
      expect(await store.findMemory(ADA, memoryId)).toEqual({ memoryId, ...rest })
      expect(await list()).toEqual([{ memoryId, ...rest }])
      const bare = await add('bare')
      expect(bare).toEqual({
        memoryId: bare.memoryId,
        type: 'feedback',
        content: 'bare',
        createdAt: clock.now(),
        hitCount: 0,
        isDisabled: false,
        origin: 'user',
      })
      expect(await store.findMemory(ADA, bare.memoryId)).toEqual(bare)
    })

    it("holds the user's words once the user has changed them, and a tool's words until then", async () => {
      const { store } = subject()
      const { memoryId } = await add(FULL.content, FULL)
      const [labelled] = await store.changeMemories(ADA, [memoryId], { topic: 'Hosts', content: FULL.content })
      expect(labelled).toMatchObject({ origin: 'tool', sourceTool: 'WebFetch', topic: 'Hosts' })
      const [rewritten] = await store.changeMemories(ADA, [memoryId], { content: 'The staging server is kiwi' })
      expect(rewritten?.origin).toBe('user')
      expect(rewritten).not.toHaveProperty('sourceTool')
      expect(await store.findMemory(ADA, memoryId)).toEqual(rewritten)
    })

    it('makes a text well-formed, so that it is the same before and after it was stored', async () => {
      const kept = await add('half \ud800 a character', { topic: '\udc00' })
      expect(kept).toMatchObject({ content: 'half \ufffd a character', topic: '\ufffd' })
      expect(await subject().store.findMemory(ADA, kept.memoryId)).toEqual(kept)
    })

    it('never crosses users', async () => {
      const { store } = subject()
      const hers = await add('deploy on Tuesdays', {}, ADA)
      await add('deploy on Fridays', {}, GRACE)
      expect(await recall('when do we deploy?', 5, ADA)).toEqual(['deploy on Tuesdays'])
      expect(await recall('when do we deploy?', 5, asUserId('ad'))).toEqual([])
      expect(await recall('when do we deploy?', 5, asUserId('ada" OR "u'))).toEqual([])
      expect(await store.findMemory(GRACE, hers.memoryId)).toBeUndefined()
      expect(await store.changeMemories(GRACE, [hers.memoryId], { content: 'x' })).toEqual([])
      expect(await store.removeMemories(GRACE, [hers.memoryId])).toBe(0)
      const correction = { type: 'feedback', content: 'no', supersedes: hers.memoryId } as const
      expect(await store.addMemory(GRACE, correction)).toEqual({ type: 'refused', reason: 'unknown-memory' })
      expect(await list({}, asUserId('nobody'))).toEqual([])
      expect(await store.findMemory(ADA, hers.memoryId)).toMatchObject({ content: 'deploy on Tuesdays', hitCount: 1 })
      expect((await list({}, GRACE)).map(({ content }) => content)).toEqual(['deploy on Fridays'])
      const same = { type: 'feedback', content: 'deploy on Tuesdays', unlessKnown: true } as const
      expect(await store.addMemory(GRACE, same)).toMatchObject({ type: 'added' })
    })

    it('finds the same whatever others keep', async () => {
      await add('deploy with care')
      for (let index = 0; index < 60; index++) await add(`deploy ${index}`, {}, GRACE)
      expect(await recall('deploy?')).toEqual(['deploy with care'])
    })

    it.each([
      ['Deploy to production on Tuesdays only', 'When may we deploy this?', 'What is the capital of France?'],
      ['数据库密码每月更换一次', '多久更换密码?', '明天的天气怎么样?'],
      ['Ｔｅｓｔ the BUILDS with `npm run proof`', 'which proof is there for a build', 'and the weather in Rome?'],
    ])('recalls %j by %j and not by %j', async (content, question, unrelated) => {
      await add('Grace is the name of my cat')
      await add('李雷喜欢打篮球')
      await add(content)
      expect(await recall(question)).toEqual([content])
      expect(await recall(unrelated)).toEqual([])
    })

    it('recalls best first, and no more than asked for', async () => {
      await add('green paint for the fence')
      await add('green tea from Japan')
      await add('black coffee')
      expect(await recall('green tea')).toEqual(['green tea from Japan', 'green paint for the fence'])
      expect(await recall('green tea', 1)).toEqual(['green tea from Japan'])
      expect(await recall('green tea', 0)).toEqual([])
    })

    it('counts what it recalls, and nothing else', async () => {
      const { store, clock } = subject()
      const tea = await add('green tea')
      const cat = await add('the cat is grey')
      clock.advance(1_000)
      const hits = await store.recall(ADA, 'tea?', 5)
      expect(hits).toEqual([{ ...tea, hitCount: 1, lastHitAt: clock.now() }])
      clock.advance(1_000)
      await Promise.all([store.recall(ADA, 'tea?', 5), store.recall(ADA, 'more tea', 5)])
      expect(await list()).toEqual([cat, { ...tea, hitCount: 3, lastHitAt: clock.now() }])
    })

    it.each([
      ['nothing', ''],
      ['spaces', ' \n\t'],
      ['the syntax of a search', '" OR words : * NEAR(tea ^ -tea AND NOT user : "u" {a b} : c + "'],
      ['what no text is', '\u0000\ud800\uffff\u202e'],
      ['a megabyte', 'tea '.repeat(250_000)],
      ['one endless word', 't'.repeat(100_000)],
      ['very many words', Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(' ')],
    ])('is safe when asked with %s', async (_what, text) => {
      await add('green tea')
      const found = await recall(text)
      expect(['green tea', undefined]).toContain(found[0])
      expect(found.length).toBeLessThanOrEqual(1)
    })

    it('changes what is said and keeps the rest, also for the search', async () => {
      const { store, clock } = subject()
      const before = await add('green tea', { topic: 'drinks' })
      clock.advance(1_000)
      const [after] = await store.changeMemories(ADA, [before.memoryId], { content: 'strong coffee', scope: 'home' })
      expect(after).toEqual({ ...before, content: 'strong coffee', scope: 'home', updatedAt: clock.now() })
      expect(await store.findMemory(ADA, before.memoryId)).toEqual(after)
      expect(await recall('tea?')).toEqual([])
      expect(await recall('coffee?')).toEqual(['strong coffee'])
      expect(await store.changeMemories(ADA, [before.memoryId], { topic: undefined })).toMatchObject([
        { topic: 'drinks', hitCount: 1 },
      ])
    })

    it('recalls no memory that is disabled, until it is enabled again', async () => {
      const { store } = subject()
      const { memoryId } = await add('green tea')
      expect(await store.changeMemories(ADA, [memoryId], { isDisabled: true })).toMatchObject([{ isDisabled: true }])
      expect(await recall('tea')).toEqual([])
      await store.changeMemories(ADA, [memoryId], { isDisabled: false })
      expect(await recall('tea')).toEqual(['green tea'])
    })

    it('changes and removes several at once, those that are there', async () => {
      const { store } = subject()
      const [one, two, three] = [await add('one'), await add('two'), await add('three')]
      const ids = [one.memoryId, two.memoryId, two.memoryId, 999_999]
      expect(idsOf(await store.changeMemories(ADA, ids, { isDisabled: true }))).toEqual(idsOf([one, two]))
      expect(await store.removeMemories(ADA, ids)).toBe(2)
      expect(await store.removeMemories(ADA, ids)).toBe(0)
      expect(await list()).toEqual([three])
    })

    it('keeps what was corrected, marked, and recalls the correction', async () => {
      const { store, clock } = subject()
      const old = await add('deploy on Tuesdays')
      clock.advance(1_000)
      const correction = await add('deploy on Fridays', { supersedes: old.memoryId })
      const marked = { ...old, supersededBy: correction.memoryId, updatedAt: clock.now() }
      expect(await list()).toEqual([correction, marked])
      expect(await recall('when do we deploy?')).toEqual(['deploy on Fridays'])
      const again = { type: 'feedback', content: 'deploy never', supersedes: old.memoryId } as const
      const refusal = { type: 'refused', reason: 'superseded', by: correction.memoryId }
      expect(await store.addMemory(ADA, again)).toEqual(refusal)
      const unknown = { ...again, supersedes: 999_999 }
      expect(await store.addMemory(ADA, unknown)).toEqual({ type: 'refused', reason: 'unknown-memory' })
      await store.removeMemories(ADA, [correction.memoryId])
      expect(await store.findMemory(ADA, old.memoryId)).toEqual(marked)
      expect(await recall('when do we deploy?')).toEqual([])
    })

    it('adds what is known already once, where that is wanted', async () => {
      const { store } = subject()
      const once = { type: 'feedback', content: 'green tea', unlessKnown: true } as const
      const first = await store.addMemory(ADA, once)
      expect(first).toMatchObject({ type: 'added' })
      const known = { ...first, type: 'known' }
      expect(await store.addMemory(ADA, once)).toEqual(known)
      const twice = await Promise.all([store.addMemory(ADA, once), store.addMemory(ADA, once)])
      expect(twice).toEqual([known, known])
      const old = await add('black tea')
      const correction = { ...once, content: 'white tea', supersedes: old.memoryId }
      const corrected = await store.addMemory(ADA, correction)
      expect(await store.addMemory(ADA, correction)).toEqual({ ...corrected, type: 'known' })
      expect(await list()).toHaveLength(3)
      expect((await add('green tea')).content).toBe('green tea')
      expect(await list()).toHaveLength(4)
    })

    it('lists newest first, in pages, and says how many there are', async () => {
      const { store } = subject()
      const ids: number[] = []
      for (let index = 0; index < 7; index++) ids.unshift((await add(`number ${index}`)).memoryId)
      const page = await store.listMemories(ADA, { offset: 2, limit: 3 })
      expect({ ids: idsOf(page.memories), total: page.total }).toEqual({ ids: ids.slice(2, 5), total: 7 })
      expect(await store.listMemories(ADA, { offset: 9, limit: 3 })).toEqual({ memories: [], total: 7 })
    })

    it('lists those that meet every condition', async () => {
      const { store } = subject()
      const full = await add(FULL.content, FULL)
      const other = await add('Other things', { topic: 'ÄPFEL' })
      await store.changeMemories(ADA, [other.memoryId], { isDisabled: true })
      const found = async (query: object): Promise<readonly number[]> => idsOf(await list(query))
      for (const field of ['type', 'skillName', 'recordType', 'scope', 'owner', 'topic'] as const) {
        expect([field, await found({ [field]: full[field] })]).toEqual([field, [full.memoryId]])
        expect([field, await found({ [field]: 'something else' })]).toEqual([field, []])
      }
      expect(await found({ isDisabled: true })).toEqual([other.memoryId])
      expect(await found({ isDisabled: false })).toEqual([full.memoryId])
      expect(await found({ keyword: 'KIWI' })).toEqual([full.memoryId])
      expect(await found({ keyword: 'äpfel' })).toEqual([other.memoryId])
      expect(await found({ keyword: '%' })).toEqual([])
      expect(await found({ keyword: 'server', owner: 'ops', isDisabled: true })).toEqual([])
    })

    it('takes a bounded number from each user, and more when some are removed', async () => {
      const { store } = subject()
      const one = { type: 'feedback', content: 'one more' } as const
      await Promise.all(Array.from({ length: MEMORY_LIMITS.perUser }, () => store.addMemory(ADA, one)))
      expect(await store.addMemory(ADA, one)).toEqual({ type: 'refused', reason: 'full' })
      expect(await store.addMemory(ADA, { ...one, unlessKnown: true })).toMatchObject({ type: 'known' })
      expect(await store.addMemory(GRACE, one)).toMatchObject({ type: 'added' })
      const [newest] = await list({ limit: 1 })
      expect(await store.removeMemories(ADA, [newest?.memoryId ?? 0])).toBe(1)
      const added = await store.addMemory(ADA, one)
      expect(added).toMatchObject({ type: 'added' })
      expect(added.type === 'added' && added.memory.memoryId).toBeGreaterThan(newest?.memoryId ?? 0)
    })

    it('knows everything when it is opened again', async () => {
      const { store, reopen } = subject()
      const full = await add(FULL.content, FULL)
      const tea = await add('green tea')
      const last = await add('the last one')
      await store.removeMemories(ADA, [last.memoryId])
      const again = (await reopen?.()) ?? store
      expect(await again.listMemories(ADA, { limit: 10 })).toEqual({ memories: [tea, full], total: 2 })
      expect(await again.recall(ADA, 'tea', 5)).toMatchObject([{ memoryId: tea.memoryId, hitCount: 1 }])
      const next = await again.addMemory(ADA, { type: 'feedback', content: 'next' })
      expect(next.type === 'added' && next.memory.memoryId).toBeGreaterThan(last.memoryId)
    })
  })
}
