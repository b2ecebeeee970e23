import type { BadInput, Generator, Scene } from './bad-input.ts'
import { generateAddress } from './generate/addresses.ts'
import { generateCursor } from './generate/cursors.ts'
import { generateDocument } from './generate/documents.ts'
import { generateFraming } from './generate/framing.ts'
import { generateHeader } from './generate/headers.ts'
import { generateHead } from './generate/heads.ts'
import { generateLargeBody } from './generate/large-bodies.ts'
import { generateMutation } from './generate/mutations.ts'
import { generateScript } from './generate/scripts.ts'
import { createRandom } from './random.ts'

/** How many of every thousand inputs each generator makes. */
const SHARES: readonly (readonly [Generator, number])[] = [
  [generateMutation, 497],
  [generateDocument, 160],
  [generateAddress, 100],
  [generateScript, 80],
  [generateHeader, 50],
  [generateHead, 45],
  [generateCursor, 35],
  [generateFraming, 30],
  [generateLargeBody, 3],
]

/** Who makes which input of a thousand, spread evenly, and how many it has made before in this thousand. */
const WHEEL = spread(SHARES)

/** The input of this index. Generators count their own turns, so that each gets through its lists. */
export function generateInput(seed: string, index: number, scene: Scene): BadInput {
  const round = Math.floor(index / WHEEL.length)
  const slot = WHEEL[index % WHEEL.length]
  if (slot === undefined) throw new Error('the wheel is empty')
  return slot.generate(round * slot.share + slot.earlier, createRandom(seed, index), scene)
}

interface Slot {
  readonly generate: Generator
  readonly share: number
  readonly earlier: number
}

function spread(shares: typeof SHARES): readonly Slot[] {
  const placed = shares.flatMap(([generate, share]) =>
    Array.from({ length: share }, (_, earlier) => ({
      at: (earlier + 0.5) / share,
      slot: { generate, share, earlier },
    })),
  )
  return placed.sort((a, b) => a.at - b.at).map(({ slot }) => slot)
}
