import { readFileSync, writeFileSync } from 'node:fs'
import type { SeededRandom } from '../seeded-random.ts'

/** Truncates one file in eight, sometimes to nothing, and flips one bit in the others. Returns a description. */
export function damageFile(path: string, random: SeededRandom): string {
  const bytes = readFileSync(path)
  if (random.int(8) === 0) {
    const size = random.int(4) === 0 ? 0 : random.int(bytes.length)
    writeFileSync(path, bytes.subarray(0, size))
    return `cut to ${size} of ${bytes.length} bytes`
  }
  const offset = random.int(bytes.length)
  const bit = random.int(8)
  bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit)
  writeFileSync(path, bytes)
  return `bit ${bit} of byte ${offset} flipped`
}
