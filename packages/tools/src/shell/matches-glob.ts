/**
 * Whether a shell glob matches a path. Stars do not match `/`. A bracket counts as any one character. Takes time
 * proportional to both lengths, because the pattern is untrusted.
 */
export function matchesGlob(path: string, glob: string): boolean {
  const tokens = toTokens(glob)
  let at = 0
  let token = 0
  let star = -1
  let starAt = 0
  while (at < path.length) {
    const wanted = tokens[token]
    if (wanted?.startsWith('*')) {
      star = token++
      starAt = at
    } else if (wanted !== undefined && matchesOne(path[at], wanted)) {
      token++
      at++
    } else if (star !== -1 && path[starAt] !== '/') {
      token = star + 1
      at = ++starAt
    } else {
      return false
    }
  }
  return tokens.slice(token).every((rest) => rest.startsWith('*'))
}

/** Brackets, stars and single characters. A bracket that has no end is a character. */
function toTokens(glob: string): readonly string[] {
  const ends = endsOfBrackets(glob)
  const tokens: string[] = []
  for (let at = 0; at < glob.length; at += tokens.at(-1)?.length ?? 1) {
    const end = glob[at] === '[' ? (ends[at] ?? 0) : 0
    tokens.push(end > at + 1 ? glob.slice(at, end + 1) : (glob[at] ?? ''))
  }
  return tokens
}

/** For each character the next `]` in the same part of the path, or 0. */
function endsOfBrackets(glob: string): Int32Array {
  const ends = new Int32Array(glob.length)
  let end = 0
  for (let at = glob.length - 1; at >= 0; at--) {
    ends[at] = end
    if (glob[at] === ']') end = at
    else if (glob[at] === '/') end = 0
  }
  return ends
}

function matchesOne(character: string | undefined, wanted: string): boolean {
  if (wanted === '?' || wanted.length > 1) return character !== '/'
  return character === wanted
}
