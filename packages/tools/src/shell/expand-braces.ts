const MOST_WORDS = 64
/** Characters that have a special meaning in the shell. */
const NOT_PLAIN = /["'\\$`]/

/** The words that `{a,b}` or `{1..3}` expands to. `undefined` if that is not certain. */
export function expandBraces(text: string): readonly string[] | undefined {
  if (NOT_PLAIN.test(text)) return undefined
  const words = expand(text)
  return words.length <= MOST_WORDS && !words.some((word) => word.includes('..')) ? words : undefined
}

function expand(text: string): string[] {
  const open = text.indexOf('{')
  if (open === -1) return [text]
  const items = splitItems(text, open)
  if (!items) return [text]
  const before = text.slice(0, open)
  const rest = expand(text.slice(items.end + 1))
  const words: string[] = []
  for (const item of items.texts.flatMap(expand)) {
    for (const after of rest) {
      words.push(before + item + after)
      if (words.length > MOST_WORDS) return words
    }
  }
  return words
}

function splitItems(
  text: string,
  open: number,
): { readonly texts: readonly string[]; readonly end: number } | undefined {
  const texts: string[] = []
  let depth = 0
  let from = open + 1
  for (let at = open; at < text.length; at++) {
    const character = text[at]
    if (character === '{') depth++
    else if (character === ',' && depth === 1) {
      texts.push(text.slice(from, at))
      from = at + 1
    } else if (character === '}' && --depth === 0) {
      texts.push(text.slice(from, at))
      return texts.length > 1 ? { texts, end: at } : undefined
    }
  }
  return undefined
}
