/**
 * BM25 over the memories of one user, the same in every store. The built-in ranking of a database uses statistics of
 * all users, so one user's words would affect another user's results.
 */
export interface MemoryCandidate {
  readonly memoryId: number
  readonly words: readonly string[]
}

export interface MemoryCollection {
  /** All recallable memories of the user. */
  readonly count: number
  readonly averageWords: number
  /** The memories that share a word with the question. */
  readonly candidates: readonly MemoryCandidate[]
}

const SATURATION = 1.2
const LENGTH_WEIGHT = 0.75
/**
 * The number of assumed background texts. Without them, a word of the only memory would have no weight, because its
 * rarity could not be estimated.
 */
const BACKGROUND = 20
/** One matching word is enough if fewer than about half of many memories contain it, but not if nearly all do. */
const FLOOR = 1
/** A memory that scores far below the best one is noise. */
const SHARE_OF_BEST = 0.25
/** Longer questions need more words in common with a memory, because long texts share words by chance. */
const SHORT_QUESTION = 16

/** The ids of the relevant memories, best first. */
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
