// Counts tokens with OpenAI's `o200k_base` vocabulary. For other providers this is an estimate; their own counts win.
import type { countTokens as Count } from 'gpt-tokenizer/encoding/o200k_base'
import { giveWayToEventLoop } from './give-way.ts'

/** Characters per slice: a few milliseconds of work. */
const PIECE = 8_192
/** Encoding a run of letters without spaces takes quadratic time, so longer runs are cut. */
const LONGEST_RUN = 256

let loading: Promise<typeof Count> | undefined

/** Loads the vocabulary on first use: it takes tens of megabytes, and most servers never need it. */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens: count }) => count)
  const count = await loading
  let tokens = 0
  for (let start = 0; start < text.length; start += PIECE) {
    if (start > 0) await giveWayToEventLoop()
    const piece = text.slice(start, start + PIECE).replaceAll(LONG_RUN, '$& ')
    // Treat the names of control tokens as plain text.
    tokens += count(piece, { disallowedSpecial: new Set() })
  }
  return tokens
}

const LONG_RUN = new RegExp(String.raw`\S{${LONGEST_RUN}}(?=\S)`, 'g')
