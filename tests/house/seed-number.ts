import { createHash } from 'node:crypto'

/** fast-check wants a number of 32 bits. */
export function seedNumber(word: string): number {
  return createHash('sha256').update(word).digest().readInt32LE(0)
}
