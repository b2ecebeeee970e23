const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Whether a text that claims to be JSON nests deeper than this. Looks at every character once, before it is parsed. */
export function isTooDeep(text: string, deepest: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) at = endOfString(text, at)
    else if (sign === 0x5b || sign === 0x7b) {
      depth += 1
      if (depth > deepest) return true
    } else if (sign === 0x5d || sign === 0x7d) depth -= 1
  }
  return false
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return text.length
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return quote
    at = quote + 1
  }
}
