import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventStore, Fence, SessionId } from '@polylogue/engine'
import type { OpenedEventStore } from '../event-store-contract.ts'
import { rounds } from './operations.ts'
import {
  AT,
  SESSION,
  STEP,
  TURN,
  USER,
  addition,
  appended,
  conflict,
  creation,
  said,
  session,
  textsOf,
} from './samples.ts'
import {
  LEASE_MS,
  type ModelAnswer,
  type ModelOperation,
  type ModelSession,
  type StoreModel,
  applyOperation,
  emptyModel,
  isHeld,
} from './store-model.ts'

export function describeConcurrency(subject: () => OpenedEventStore): void {
  describe('at the same time', () => {
    it('exactly one of many appends with the same expectedSeq wins', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const racing = Array.from({ length: 20 }, (_, index) => `racer ${index}`)
      const results = await Promise.all(
        racing.map((text) => store.append(addition(SESSION, 1, { events: [said(text), said(text)] }))),
      )
      const winner = results.findIndex(({ type }) => type === 'appended')
      expect(results.filter((_, index) => index !== winner)).toEqual(racing.slice(1).map(() => conflict('seq-moved')))
      expect(await textsOf(store, SESSION)).toEqual(['first', racing[winner], racing[winner]])
    })

    it('one of two creations of the same session wins', async () => {
      const { store } = subject()
      const results = await Promise.all([store.append(creation(SESSION)), store.append(creation(SESSION))])
      expect(results).toEqual(expect.arrayContaining([appended(1), conflict('seq-moved')]))
      expect(await textsOf(store, SESSION)).toEqual(['first'])
    })

    it('one of two claims wins', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const fences = await Promise.all(['a', 'b', 'c'].map((owner) => store.claim(SESSION, owner, 1_000)))
      expect(fences.filter((fence) => fence !== undefined)).toHaveLength(1)
    })

    it('a refused append does not hurt its neighbours', async () => {
      const { store } = subject()
      await store.append(creation(session(1), { names: ['n'] }))
      const results = await Promise.all([
        store.append(creation(session(2))),
        store.append(addition(session(1), 1, { names: ['m', 'n'], snapshot: 'no' })),
        store.append(addition(session(9), 4)),
        store.append(creation(session(3))),
      ])
      expect(results).toEqual([appended(1), conflict('name-taken'), conflict('session-gone'), appended(1)])
      expect(await store.takenNames(session(1), ['m'])).toEqual(new Set())
    })

    it('hundreds of sessions are written in one tick', async () => {
      const { store } = subject()
      const ids = Array.from({ length: 400 }, (_, index) => session(index + 1))
      expect(await Promise.all(ids.map((id) => store.append(creation(id, { summary: id }))))).toEqual(
        ids.map(() => appended(1)),
      )
      const seconds = await Promise.all(ids.map((id) => store.append(addition(id, 1, { events: [said(id)] }))))
      expect(seconds).toEqual(ids.map(() => appended(2)))
      const listed = await store.listSessions({ userId: USER, limit: 1_000 })
      expect(listed.map(({ sessionId }) => sessionId)).toEqual(ids.toReversed())
      expect(await textsOf(store, session(400))).toEqual(['first', session(400)])
    })

    it('whatever runs has the outcome of some order of the operations', async () => {
      const { store, clock, leases = 'session' } = subject()
      let runs = 0
      await fc.assert(
        fc.asyncProperty(rounds, async (plan) => {
          // Each run uses its own sessions in the shared store and removes them at the end.
          const ids = [session(++runs * 2), session(runs * 2 + 1)]
          const place: Place = { ids, ownerOf: (name) => `${name} of run ${runs}` }
          let candidates: readonly StoreModel[] = [emptyModel(clock.now(), ids.length, leases)]
          for (const { waitMs, plans } of plan) {
            clock.advance(waitMs)
            candidates = candidates.map((model) => ({ ...model, now: clock.now() }))
            const [model] = candidates
            const operations = plans.map((toOperation) => toOperation(model!))
            const answers = await Promise.all(operations.map((operation) => perform(store, place, operation)))
            const seen = await observe(store, ids)
            candidates = candidates
              .flatMap((before) => outcomesOf(before, operations, answers))
              .filter((after) => isDeepStrictEqual(expectationOf(after), seen))
            expect({ operations, answers, seen, explanations: candidates.length }).not.toMatchObject({
              explanations: 0,
            })
          }
          await Promise.all(ids.map((id) => store.deleteSession(id)))
        }),
        { numRuns: 60 },
      )
    })
  })
}

/** The states after every order of the operations that explains the results, without duplicates. */
function outcomesOf(
  before: StoreModel,
  operations: readonly ModelOperation[],
  answers: readonly ModelAnswer[],
): readonly StoreModel[] {
  const outcomes = new Map<string, StoreModel>()
  for (const order of ordersOf(operations.map((_, index) => index))) {
    let model = before
    const explains = order.every((index) => {
      const [after, answer] = applyOperation(model, operations[index]!)
      model = after
      return isDeepStrictEqual(answer, answers[index])
    })
    if (explains) outcomes.set(JSON.stringify(model), model)
  }
  return [...outcomes.values()]
}

function ordersOf(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length <= 1) return [items]
  return items.flatMap((first) => ordersOf(items.filter((item) => item !== first)).map((tail) => [first, ...tail]))
}

/** The sessions and the owners of one run. Leases of earlier runs may still hold. */
interface Place {
  readonly ids: readonly SessionId[]
  ownerOf(name: string): string
}

async function perform(store: EventStore, { ids, ownerOf }: Place, operation: ModelOperation): Promise<ModelAnswer> {
  const fenceOf = ({ owner, epoch }: Fence): Fence => ({ owner: ownerOf(owner), epoch })
  switch (operation.type) {
    case 'append': {
      const { expectedSeq, creates, text, fence, claims, releases, isWanted, name, key, clearsDraft } = operation
      const receipt =
        key === undefined ? undefined : { userId: USER, key, fingerprint: key, turnId: TURN, firstEvent: 0 }
      const result = await store.append({
        sessionId: ids[operation.session]!,
        expectedSeq,
        at: AT,
        events: [said(text)],
        wanted: isWanted,
        ...(creates && { create: { userId: USER } }),
        ...(fence && { fence: fenceOf(fence) }),
        ...(claims !== undefined && { claim: { owner: ownerOf(claims), leaseMs: LEASE_MS } }),
        ...(releases && { release: true }),
        ...(name !== undefined && { names: [name] }),
        ...(receipt && { receipt }),
        ...(clearsDraft && { clearDrafts: [STEP] }),
      })
      if (result.type === 'conflict') return result.reason
      return result.fence === undefined ? result.lastSeq : [result.lastSeq, result.fence.epoch]
    }
    case 'claim':
      return (await store.claim(ids[operation.session]!, ownerOf(operation.owner), LEASE_MS))?.epoch
    case 'renew':
      return (await store.renew(ownerOf(operation.owner), ids, LEASE_MS)).map((lost) => ids.indexOf(lost))
    case 'release':
      await store.release(ids[operation.session]!, fenceOf(operation.fence))
      return undefined
    case 'save-draft': {
      const drafts = [{ stepId: STEP, block: 0, kind: 'text' as const, text: operation.text }]
      return store.saveDrafts(ids[operation.session]!, fenceOf(operation.fence), drafts)
    }
    case 'delete':
      return store.deleteSession(ids[operation.session]!)
    case 'drop-leases':
      await store.dropLeases()
      return undefined
  }
}

interface SeenSession {
  readonly lastSeq: number | undefined
  readonly texts: readonly string[]
  readonly names: readonly string[]
  readonly keys: readonly string[]
  readonly drafts: readonly string[]
  readonly isOffered: boolean
}

async function observe(store: EventStore, ids: readonly SessionId[]): Promise<readonly SeenSession[]> {
  const wanted = await store.wantedSessions(1_000)
  return Promise.all(
    ids.map(async (id) => {
      const keys = ['k1', 'k2', 'k3']
      const receipts = await Promise.all(keys.map((key) => store.findReceipt(USER, id, key)))
      return {
        lastSeq: (await store.readHead(id))?.lastSeq,
        texts: await textsOf(store, id),
        names: [...(await store.takenNames(id, ['n1', 'n2', 'n3']))].sort(),
        keys: keys.filter((_, index) => receipts[index] !== undefined),
        drafts: (await store.readDrafts(id)).map(({ text }) => text),
        isOffered: wanted.includes(id),
      }
    }),
  )
}

function expectationOf(model: StoreModel): readonly SeenSession[] {
  return model.sessions.map((session) => toSeen(session, model))
}

function toSeen(session: ModelSession, model: StoreModel): SeenSession {
  const { status, texts, names, keys, draft, isWanted } = session
  return {
    lastSeq: status === 'alive' ? texts.length : undefined,
    texts,
    names: [...names].sort(),
    keys: [...keys].sort(),
    drafts: draft === undefined ? [] : [draft],
    isOffered: isWanted && !isHeld(session, model),
  }
}
