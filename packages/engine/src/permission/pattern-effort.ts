/**
 * One part of a pattern: quoted text, a repeat, flags (a repeat after them belongs to what stands before), a bracket of a
 * group, an operator, or what stands for one character. A bracket right after the one that opens a class is a member.
 */
const PART =
  /\\Q(?<quoted>[^]*?)(?:\\E|$)|\{(?<least>\d+)(?:,(?<most>\d*))?\}|(?<flags>\(\?[A-Za-z-]*\))|(?<open>\()|(?<close>\))|(?<operator>[*+?|])|\[\^?\]?(?:\\[^]|\[:\^?[a-z]{1,9}:\]|[^\]])*\]?|\\(?:[pPx]\{[^}]{0,40}\}|[pP][^{]|[^])|[^]/g
/** Such a class has hundreds of ranges, which are made for every place where it is written. */
const UNICODE_CLASS = /\\[pP]/g
const OF_UNICODE_CLASS = 200
const OF_ANY_PATTERN = 10

/**
 * About how many instructions RE2 would make of a pattern, without making them: its repeats are written out. It is never
 * less than a quarter of their number. Takes time proportional to the length.
 */
export function effortOf(source: string): number {
  const classes = source.match(UNICODE_CLASS)?.length ?? 0
  return OF_ANY_PATTERN + OF_UNICODE_CLASS * classes + writtenOut(source)
}

function writtenOut(source: string): number {
  /** The sizes in front of the groups that are open. */
  const outer: number[] = []
  let total = 0
  /** The size of what a repeat would repeat. */
  let last = 0
  for (const { groups = {} } of source.matchAll(PART)) {
    const { quoted, least, most, flags, open, close, operator } = groups
    if (quoted !== undefined) {
      total += quoted.length
      last = 1
    } else if (least !== undefined) {
      const times = Math.max(1, Number(least), Number(most ?? 0))
      total += last * (times - 1)
      last *= times
    } else if (flags !== undefined) {
      continue
    } else if (open !== undefined) {
      outer.push(total)
      total = 1
    } else if (close !== undefined) {
      last = total
      total += outer.pop() ?? 0
    } else {
      total += 1
      if (operator === undefined) last = 1
    }
  }
  return outer.reduce((sum, size) => sum + size, total)
}
