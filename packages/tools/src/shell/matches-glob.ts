/**
 * Whether a shell glob matches a path. Stars do not match `/`. A bracket counts as any one character. Takes time
 * proportional to both lengths, because the pattern is untrusted.
 */
export function matchesGlob(path: string, glob: string): boolean {
  const tokens = glob.match(/\[[^\]/]+\]|\*+|[^]/g) ?? []
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

function matchesOne(character: string | undefined, wanted: string): boolean {
  if (wanted === '?' || wanted.length > 1) return character !== '/'
  return character === wanted
}
