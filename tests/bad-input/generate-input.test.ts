import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { BadInput, Scene } from './bad-input.ts'
import { generateInput } from './generate-input.ts'
import { MUTATION_COUNT, STRIDE, generateMutation } from './generate/mutations.ts'
import { createRandom } from './random.ts'
import { ADDRESSED_REQUESTS, REQUESTS_WITH_BODY } from './valid-requests.ts'

const scene: Scene = {
  host: '127.0.0.1:8020',
  key: 'sk-blade-v2-0123456789',
  sessionId: '0198c0de-7a11-7000-8000-000000000001',
  waiting: { sessionId: '0198c0de-7a11-7000-8000-000000000002', toolCallId: 'w1' },
  foreignSessionId: '0198c0de-7a11-7000-8000-000000000003',
}

const family = ({ kind }: { readonly kind: string }): string => kind.split('/')[0] ?? ''

/** A fingerprint of everything that is sent. */
function wire({ pieces }: BadInput): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

const thousands = [0, 1000, 2000].map((from) =>
  Array.from({ length: 1000 }, (_, offset) => {
    const input = generateInput('a', from + offset, scene)
    return { kind: input.kind, wire: wire(input) }
  }),
)
const thousand = thousands[0] ?? []

describe('the inputs', () => {
  it('are the same for the same seed and index, one by one and in any order', () => {
    for (const index of [999, 0, 500, 123]) expect(wire(generateInput('a', index, scene))).toBe(thousand[index]?.wire)
  })

  it('are others for another seed', () => {
    const others = thousand.filter((input, index) => wire(generateInput('b', index, scene)) !== input.wire)
    expect(others.length).toBeGreaterThan(300)
  })

  it('have every family in every thousand, in the same shares', () => {
    const shares = (kinds: readonly { readonly kind: string }[]) =>
      Object.fromEntries(Object.entries(Object.groupBy(kinds, family)).map(([name, list]) => [name, list?.length]))
    expect(shares(thousand)).toEqual({
      mutation: 497,
      document: 160,
      address: 100,
      script: 80,
      header: 50,
      head: 45,
      cursor: 35,
      framing: 30,
      large: 3,
    })
    expect(shares(thousands[1] ?? [])).toEqual(shares(thousand))
  })

  it('reach every request of every door within three thousand', () => {
    const kinds = thousands.flat().map(({ kind }) => kind)
    for (const { name } of REQUESTS_WITH_BODY) {
      expect(kinds.some((kind) => kind.startsWith(`mutation/${name}/`))).toBe(true)
      expect(kinds.some((kind) => kind.startsWith(`document/${name}/`))).toBe(true)
    }
    for (const { name } of ADDRESSED_REQUESTS) {
      expect(kinds.some((kind) => kind.startsWith(`address/${name}/`))).toBe(true)
    }
  })

  it('spoil every value of every request in every way before they spoil two at a time', () => {
    // A stride that shares no factor with a length comes by everywhere.
    expect(STRIDE % MUTATION_COUNT === 0 || MUTATION_COUNT % STRIDE === 0).toBe(false)
    const kindOf = (turn: number): string => generateMutation(turn, createRandom('a', turn), scene).kind
    expect(kindOf(MUTATION_COUNT - 1)).not.toContain(' + ')
    expect(kindOf(MUTATION_COUNT)).toContain(' + ')
  })
})
