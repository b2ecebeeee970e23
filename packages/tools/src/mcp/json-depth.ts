/** Iterative, because a hostile value would exhaust the stack of a recursive function. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= limit; depth += 1) {
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      for (const inner of Object.values(item)) next.push(inner)
    }
    if (next.length === 0) return false
    level = next
  }
  return true
}
