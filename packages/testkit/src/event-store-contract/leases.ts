import { describe, expect, it } from 'vitest'
import type { OpenedEventStore } from '../event-store-contract.ts'
import { AT, SESSION, addition, appended, conflict, creation, session, textsOf } from './samples.ts'

export function describeLeases(subject: () => OpenedEventStore): void {
  describe('a claim', () => {
    it('makes one owner, and raises the epoch each time', async () => {
      const { store, clock } = subject()
      await store.append(creation(SESSION))
      expect(await store.claim(SESSION, 'a', 1_000)).toEqual({ owner: 'a', epoch: 1 })
      expect(await store.claim(SESSION, 'b', 1_000)).toBeUndefined()
      clock.advance(999)
      expect(await store.claim(SESSION, 'b', 1_000)).toBeUndefined()
      clock.advance(1)
      expect(await store.claim(SESSION, 'b', 1_000)).toEqual({ owner: 'b', epoch: 2 })
      expect(await store.claim(SESSION, 'a', 1_000)).toBeUndefined()
    })

    it('of the same owner is renewed with a new epoch', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const first = await store.claim(SESSION, 'a', 1_000)
      expect(await store.claim(SESSION, 'a', 1_000)).toEqual({ owner: 'a', epoch: 2 })
      expect(await store.append(addition(SESSION, 1, { fence: first! }))).toEqual(conflict('fenced'))
    })

    it('of a session that never was is refused', async () => {
      const { store } = subject()
      expect(await store.claim(SESSION, 'a', 1_000)).toBeUndefined()
    })

    it('of one session says nothing about another', async () => {
      const { store } = subject()
      await store.append(creation(session(1)))
      await store.append(creation(session(2)))
      await store.claim(session(1), 'a', 1_000)
      expect(await store.claim(session(2), 'b', 1_000)).toEqual({ owner: 'b', epoch: 1 })
    })

    it('leaves appends without a fence alone', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      await store.claim(SESSION, 'a', 1_000)
      expect(await store.append(addition(SESSION, 1))).toEqual(appended(2))
    })

    it('that was not taken over still fences its appends after it expires', async () => {
      const { store, clock } = subject()
      await store.append(creation(SESSION))
      const fence = await store.claim(SESSION, 'a', 1_000)
      clock.advance(5_000)
      expect(await store.append(addition(SESSION, 1, { fence: fence! }))).toEqual(appended(2))
    })
  })

  describe('a renewal', () => {
    it('extends the lease of its owner from now on', async () => {
      const { store, clock } = subject()
      await store.append(creation(session(1)))
      await store.append(creation(session(2)))
      await store.claim(session(1), 'a', 1_000)
      await store.claim(session(2), 'c', 1_000)
      clock.advance(900)
      expect(await store.renew('a', [session(1)], 1_000)).toEqual([])
      clock.advance(100)
      expect(await store.claim(session(1), 'b', 1_000)).toBeUndefined()
      expect(await store.claim(session(2), 'b', 1_000)).toEqual({ owner: 'b', epoch: 2 })
      clock.advance(900)
      expect(await store.claim(session(1), 'b', 1_000)).toEqual({ owner: 'b', epoch: 2 })
    })

    it('names the sessions whose lease was lost', async () => {
      const { store, clock } = subject()
      for (const number of [1, 2, 3, 4]) await store.append(creation(session(number)))
      for (const number of [1, 2, 3]) await store.claim(session(number), 'a', 1_000)
      const released = await store.claim(session(4), 'a', 1_000)
      await store.release(session(4), released!)
      clock.advance(1_000)
      await store.claim(session(2), 'b', 1_000)
      await store.deleteSession(session(3))
      const all = [session(1), session(2), session(3), session(4), session(9)]
      expect(await store.renew('a', all, 1_000)).toEqual([session(2), session(3), session(4), session(9)])
      expect(await store.renew('a', [], 1_000)).toEqual([])
    })

    it('keeps the epoch', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const fence = await store.claim(SESSION, 'a', 1_000)
      await store.renew('a', [SESSION], 1_000)
      expect(await store.append(addition(SESSION, 1, { fence: fence! }))).toEqual(appended(2))
    })
  })

  describe('a release', () => {
    it('frees the session at once, and the next epoch is higher', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const fence = await store.claim(SESSION, 'a', 60_000)
      await store.release(SESSION, fence!)
      expect(await store.append(addition(SESSION, 1, { fence: fence! }))).toEqual(conflict('fenced'))
      expect(await store.claim(SESSION, 'b', 1_000)).toEqual({ owner: 'b', epoch: 2 })
    })

    it('with an old fence frees nothing', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const old = await store.claim(SESSION, 'a', 60_000)
      await store.claim(SESSION, 'a', 60_000)
      await store.release(SESSION, old!)
      await store.release(SESSION, { owner: 'b', epoch: 2 })
      await store.release(session(9), old!)
      expect(await store.claim(SESSION, 'b', 1_000)).toBeUndefined()
    })
  })

  describe('an append that claims', () => {
    const claim = { owner: 'a', leaseMs: 1_000 }

    it('stores its events and makes its owner the runner in one step', async () => {
      const { store, clock } = subject()
      await store.append(creation(SESSION))
      expect(await store.append(addition(SESSION, 1, { claim, wanted: true }))).toEqual(
        appended(2, { owner: 'a', epoch: 1 }),
      )
      expect(await store.wantedSessions(10)).toEqual([])
      clock.advance(999)
      expect(await store.claim(SESSION, 'b', 1_000)).toBeUndefined()
      clock.advance(1)
      expect(await store.wantedSessions(10)).toEqual([SESSION])
      expect(await store.claim(SESSION, 'b', 1_000)).toEqual({ owner: 'b', epoch: 2 })
      expect(await store.append(addition(SESSION, 2, { fence: { owner: 'a', epoch: 1 } }))).toEqual(conflict('fenced'))
    })

    it('creates a session that its owner runs', async () => {
      const { store } = subject()
      expect(await store.append(creation(SESSION, { claim }))).toEqual(appended(1, { owner: 'a', epoch: 1 }))
      expect(await store.claim(SESSION, 'b', 1_000)).toBeUndefined()
      expect(await store.append(addition(SESSION, 1, { fence: { owner: 'a', epoch: 1 } }))).toEqual(appended(2))
    })

    it('is refused while another owner holds the session, and stores nothing', async () => {
      const { store, clock } = subject()
      await store.append(creation(SESSION))
      const held = await store.claim(SESSION, 'b', 1_000)
      expect(await store.append(addition(SESSION, 1, { claim, names: ['n'] }))).toEqual(conflict('lease-held'))
      expect(await textsOf(store, SESSION)).toEqual(['first'])
      expect(await store.takenNames(SESSION, ['n'])).toEqual(new Set())
      expect(await store.append(addition(SESSION, 1, { fence: held! }))).toEqual(appended(2))
      clock.advance(1_000)
      expect(await store.append(addition(SESSION, 2, { claim }))).toEqual(appended(3, { owner: 'a', epoch: 2 }))
      expect(await store.append(addition(SESSION, 3, { fence: held! }))).toEqual(conflict('fenced'))
    })

    it('of the owner that holds the session raises the epoch', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const old = await store.claim(SESSION, 'a', 1_000)
      expect(await store.append(addition(SESSION, 1, { claim }))).toEqual(appended(2, { owner: 'a', epoch: 2 }))
      expect(await store.append(addition(SESSION, 2, { fence: old! }))).toEqual(conflict('fenced'))
    })

    it('claims nothing when it is refused for another reason', async () => {
      const { store } = subject()
      await store.append(creation(SESSION, { names: ['n'] }))
      expect(await store.append(addition(SESSION, 7, { claim }))).toEqual(conflict('seq-moved'))
      expect(await store.append(addition(SESSION, 1, { claim, names: ['n'] }))).toEqual(conflict('name-taken'))
      expect(await store.append(addition(session(9), 1, { claim }))).toEqual(conflict('session-gone'))
      expect(await store.claim(SESSION, 'b', 1_000)).toEqual({ owner: 'b', epoch: 1 })
    })

    it('names a moved log before a lease that is held', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      await store.claim(SESSION, 'b', 1_000)
      expect(await store.append(addition(SESSION, 7, { claim }))).toEqual(conflict('seq-moved'))
    })

    it('wins once when several come at the same time', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const results = await Promise.all(
        ['a', 'b', 'c'].map((owner) => store.append(addition(SESSION, 1, { claim: { owner, leaseMs: 1_000 } }))),
      )
      expect(results.filter(({ type }) => type === 'appended')).toHaveLength(1)
      expect(results.filter(({ type }) => type === 'conflict')).toEqual([conflict('seq-moved'), conflict('seq-moved')])
    })
  })

  describe('an append that releases', () => {
    it('stores its events and frees the session in one step', async () => {
      const { store } = subject()
      await store.append(creation(SESSION, { wanted: true }))
      const fence = await store.claim(SESSION, 'a', 60_000)
      expect(await store.append(addition(SESSION, 1, { fence: fence!, release: true, wanted: true }))).toEqual(
        appended(2),
      )
      expect(await store.wantedSessions(10)).toEqual([SESSION])
      expect(await store.append(addition(SESSION, 2, { fence: fence! }))).toEqual(conflict('fenced'))
      expect(await store.saveDrafts(SESSION, fence!, [])).toBe(false)
      expect(await store.renew('a', [SESSION], 1_000)).toEqual([SESSION])
      expect(await store.claim(SESSION, 'b', 1_000)).toEqual({ owner: 'b', epoch: 2 })
    })

    it('frees nothing when it is refused', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const old = await store.claim(SESSION, 'a', 60_000)
      const fence = await store.claim(SESSION, 'a', 60_000)
      expect(await store.append(addition(SESSION, 1, { fence: old!, release: true }))).toEqual(conflict('fenced'))
      expect(await store.append(addition(SESSION, 7, { fence: fence!, release: true }))).toEqual(conflict('seq-moved'))
      expect(await store.claim(SESSION, 'b', 1_000)).toBeUndefined()
      expect(await store.append(addition(SESSION, 1, { fence: fence! }))).toEqual(appended(2))
    })
  })

  describe('dropping all leases', () => {
    it('frees every session and fences out former holders', async () => {
      const { store } = subject()
      await store.append(creation(session(1)))
      await store.append(creation(session(2)))
      const fence = await store.claim(session(1), 'a', 60_000)
      await store.claim(session(2), 'b', 60_000)
      await store.dropLeases()
      expect(await store.append(addition(session(1), 1, { fence: fence! }))).toEqual(conflict('fenced'))
      expect(await store.claim(session(1), 'c', 1_000)).toEqual({ owner: 'c', epoch: 2 })
      expect(await store.claim(session(2), 'c', 1_000)).toEqual({ owner: 'c', epoch: 2 })
    })
  })

  describe('wanted sessions', () => {
    it('are those whose last append said so', async () => {
      const { store } = subject()
      await store.append(creation(session(1), { wanted: true }))
      await store.append(creation(session(2), { wanted: false }))
      await store.append(creation(session(3), { wanted: true }))
      await store.append(addition(session(1), 1, { wanted: false }))
      await store.append(addition(session(2), 1, { wanted: true }))
      expect(new Set(await store.wantedSessions(10))).toEqual(new Set([session(2), session(3)]))
    })

    it('come oldest first: the one that has been wanted for the longest time', async () => {
      const { store } = subject()
      await store.append(creation(session(1), { wanted: true, at: AT + 30 }))
      await store.append(creation(session(2), { wanted: true, at: AT + 10 }))
      await store.append(creation(session(3), { wanted: true, at: AT + 20 }))
      await store.append(addition(session(2), 1, { wanted: true, at: AT + 40 }))
      expect(await store.wantedSessions(10)).toEqual([session(2), session(3), session(1)])
      expect(await store.wantedSessions(2)).toEqual([session(2), session(3)])
      expect(await store.wantedSessions(0)).toEqual([])
    })

    it('leave out those with a runner, until the lease ends', async () => {
      const { store, clock } = subject()
      await store.append(creation(session(1), { wanted: true, at: AT }))
      await store.append(creation(session(2), { wanted: true, at: AT + 1 }))
      const fence = await store.claim(session(1), 'a', 1_000)
      await store.claim(session(2), 'b', 500)
      expect(await store.wantedSessions(10)).toEqual([])
      clock.advance(500)
      expect(await store.wantedSessions(10)).toEqual([session(2)])
      await store.release(session(1), fence!)
      expect(await store.wantedSessions(10)).toEqual([session(1), session(2)])
    })
  })
}
