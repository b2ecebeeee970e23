/**
 * BM25 over the memories of one user, the same in every store. The numbers of a database's own ranking come from the
 * memories of all its users, so that one user's words would change what another user finds.
 */
export interface MemoryCandidate {
  readonly memoryId: number
  readonly words: readonly string[]
}

export interface MemoryCollection {
  /** All memories of the user that can be recalled. */
  readonly count: number
  readonly averageWords: number
  /** All of these that share a word with the question. */
  readonly candidates: readonly MemoryCandidate[]
}

const SATURATION = 1.2
const LENGTH_WEIGHT = 0.75
/**
 * So many other texts are taken to exist beside the memories. Without them a word would count for nothing where it is
 * in the only memory, and nothing could be said about how rare it is.
 */
const BACKGROUND = 20
/** One word that is in fewer than about half of many memories is enough; one that is in nearly all of them is not. */
const FLOOR = 1
/** Beside a much better one, a memory is noise. */
const SHARE_OF_BEST = 0.25
/** The longer a question is beyond this, the more it must have in common with a memory: long texts share words by chance. */
const SHORT_QUESTION = 16

/** The ids of those that the question is about, best first. */
export function rankMemories(asked: readonly string[], collection: MemoryCollection): readonly number[] {
  const { count, averageWords, candidates } = collection
  const wanted = new Set(asked)
  const counted = candidates.map(({ memoryId, words }) => ({
    memoryId,
    length: words.length,
    hits: tally(words, wanted),
  }))
  const having = new Map<string, number>()
  for (const { hits } of counted) for (const word of hits.keys()) having.set(word, (having.get(word) ?? 0) + 1)
  const weights = new Map(
    [...having].map(([word, known]) => [word, Math.log(1 + (count + BACKGROUND - known + 0.5) / (known + 0.5))]),
  )
  const scored = counted.map(({ memoryId, length, hits }) => {
    const stretch = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * (length / Math.max(1, averageWords))
    let score = 0
    for (const [word, times] of hits) {
      score += ((weights.get(word) ?? 0) * times * (SATURATION + 1)) / (times + SATURATION * stretch)
    }
    return { memoryId, score }
  })
  const best = Math.max(0, ...scored.map(({ score }) => score))
  const floor = Math.max(FLOOR + Math.max(0, Math.log2(wanted.size / SHORT_QUESTION)), SHARE_OF_BEST * best)
  return scored
    .filter(({ score }) => score >= floor)
    .sort((a, b) => b.score - a.score || b.memoryId - a.memoryId)
    .map(({ memoryId }) => memoryId)
}

function tally(words: readonly string[], wanted: ReadonlySet<string>): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const word of words) if (wanted.has(word)) times.set(word, (times.get(word) ?? 0) + 1)
  return times
}
