import fc from 'fast-check'
import { type ModelOperation, type StoreModel, sessionOf } from './store-model.ts'

/** A generated operation. Its seqs and fences are relative to the content of the store when it runs. */
export type OperationPlan = (model: StoreModel) => ModelOperation

const session = fc.nat({ max: 1 })
const owner = fc.constantFrom('a', 'b')
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 2 })
const epochLag = fc.constantFrom(0, 0, 0, 1)

const append: fc.Arbitrary<OperationPlan> = fc
  .record({
    session,
    seqLag: fc.constantFrom(0, 0, 0, 0, 1, -1),
    text: fc.string({ maxLength: 8, unit: 'grapheme' }),
    lease: maybe(fc.oneof(fc.record({ fenceLag: epochLag, releases: fc.boolean() }), fc.record({ claims: owner }))),
    isWanted: fc.boolean(),
    name: maybe(fc.constantFrom('n1', 'n2', 'n3')),
    key: maybe(fc.constantFrom('k1', 'k2', 'k3')),
    clearsDraft: fc.boolean(),
  })
  .map(({ seqLag, lease, ...plan }) => (model) => {
    const { status, texts } = sessionOf(model, plan.session)
    const isFenced = lease !== undefined && 'fenceLag' in lease
    return {
      type: 'append',
      expectedSeq: Math.max(0, texts.length - seqLag),
      creates: status !== 'alive',
      fence: isFenced ? fenceOf(model, plan.session, lease.fenceLag) : undefined,
      releases: isFenced && lease.releases,
      claims: lease !== undefined && 'claims' in lease ? lease.claims : undefined,
      ...plan,
    }
  })

const fenced: fc.Arbitrary<OperationPlan> = fc
  .record({ session, lag: epochLag, draft: maybe(fc.string({ maxLength: 8, unit: 'grapheme' })) })
  .map(({ session: index, lag, draft }) => (model) => {
    const fence = fenceOf(model, index, lag)
    return draft === undefined
      ? { type: 'release', session: index, fence }
      : { type: 'save-draft', session: index, fence, text: draft }
  })

const claim: fc.Arbitrary<OperationPlan> = fc
  .record({ session, owner })
  .map((operation) => () => ({ type: 'claim', ...operation }))

const rest: fc.Arbitrary<OperationPlan> = fc.oneof(
  owner.map((name): OperationPlan => () => ({ type: 'renew', owner: name })),
  session.map((index): OperationPlan => () => ({ type: 'delete', session: index })),
  fc.constant<OperationPlan>(() => ({ type: 'drop-leases' })),
)

const operation = fc.oneof(
  { weight: 8, arbitrary: append },
  { weight: 3, arbitrary: claim },
  { weight: 3, arbitrary: fenced },
  { weight: 1, arbitrary: rest },
)

/** The operations that run concurrently after the clock has advanced by `waitMs`. */
export interface Round {
  readonly waitMs: number
  readonly plans: readonly OperationPlan[]
}

export const rounds: fc.Arbitrary<readonly Round[]> = fc.array(
  fc.record({
    waitMs: fc.constantFrom(0, 0, 1, 400, 1_000),
    plans: fc.array(operation, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 20 },
)

function fenceOf(model: StoreModel, index: number, lag: number): { owner: string; epoch: number } {
  const { owner: holder, epoch } = sessionOf(model, index)
  return { owner: holder ?? 'a', epoch: epoch - lag }
}
