/** Up to this length, the search of the runtime is at most so many times slower than one pass. */
const SHORT = 16

/**
 * Where `part` is in `text`, without overlaps, at most `most` places. In linear time: for a long part, the search of the runtime
 * takes the product of both lengths if both repeat themselves.
 */
export function findPlaces(text: string, part: string, most: number): readonly number[] {
  return part.length <= SHORT ? findShort(text, part, most) : findLong(text, part, most)
}

function findShort(text: string, part: string, most: number): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at !== -1 && places.length < most; at = text.indexOf(part, at + part.length)) {
    places.push(at)
  }
  return places
}

/** Knuth, Morris and Pratt. */
function findLong(text: string, part: string, most: number): readonly number[] {
  const places: number[] = []
  const borders = bordersOf(part)
  let matched = 0
  for (let at = 0; at < text.length && places.length < most; at += 1) {
    const code = text.charCodeAt(at)
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0
    if (part.charCodeAt(matched) === code) matched += 1
    if (matched < part.length) continue
    places.push(at - part.length + 1)
    matched = 0
  }
  return places
}

/** For each prefix, the length of its longest proper suffix that is also its prefix. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length)
  let matched = 0
  for (let at = 1; at < part.length; at += 1) {
    const code = part.charCodeAt(at)
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0
    if (part.charCodeAt(matched) === code) matched += 1
    borders[at] = matched
  }
  return borders
}
