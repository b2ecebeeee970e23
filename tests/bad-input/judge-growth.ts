import type { Testimony } from './ask-witness.ts'

const MEBIBYTE = 1024 * 1024
const ALLOWED_RATIO = 1.1
/** What a heap of some 20 MiB may hold more of from one moment to the next. */
const HEAP_ALLOWANCE = 16 * MEBIBYTE
/** One large body that was not yet let go of, and the holes that a hundred of them leave in an allocator's memory. */
const RSS_ALLOWANCE = 96 * MEBIBYTE

/** Whether a server has grown since it was warm. */
export function judgeGrowth(warm: Testimony, last: Testimony): readonly string[] {
  const complaints: string[] = []
  const compare = (what: string, [before, after]: readonly [number, number], allowance: number): void => {
    if (after > before * ALLOWED_RATIO + allowance) {
      complaints.push(`${what} has grown from ${inMebibytes(before)} to ${inMebibytes(after)} MiB`)
    }
  }
  compare('the heap', [warm.heapUsed, last.heapUsed], HEAP_ALLOWANCE)
  compare('the resident memory', [warm.rss, last.rss], RSS_ALLOWANCE)
  return complaints
}

function inMebibytes(bytes: number): number {
  return Math.round(bytes / MEBIBYTE)
}
