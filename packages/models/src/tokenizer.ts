// Counts tokens with the vocabulary `o200k_base` of OpenAI. Other providers do not publish theirs; for them it is an
// estimate, and what they count themselves is always preferred to it.
import type { countTokens as Count } from 'gpt-tokenizer/encoding/o200k_base'
import { giveWayToEventLoop } from './give-way.ts'

/** Counted at a time: a few milliseconds of work. */
const PIECE = 8_192
/** Runs of letters without a space take time that grows with the square of their length, so they are cut. */
const LONGEST_RUN = 256

let loading: Promise<typeof Count> | undefined

/** Loads the vocabulary when it is first asked: it takes tens of megabytes, and most servers never need it. */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens: count }) => count)
  const count = await loading
  let tokens = 0
  for (let start = 0; start < text.length; start += PIECE) {
    if (start > 0) await giveWayToEventLoop()
    const piece = text.slice(start, start + PIECE).replaceAll(LONG_RUN, '$& ')
    // Names of control tokens are plain text here.
    tokens += count(piece, { disallowedSpecial: new Set() })
  }
  return tokens
}

const LONG_RUN = new RegExp(String.raw`\S{${LONGEST_RUN}}(?=\S)`, 'g')
