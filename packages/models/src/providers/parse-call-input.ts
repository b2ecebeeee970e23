/** The same depth as the doors allow. V8 parses far deeper values but cannot serialise them. */
const DEEPEST = 64

/** The input a model wrote for a call: parsed if it is JSON we can store, otherwise the raw text. */
export function parseCallInput(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    const input: unknown = JSON.parse(text)
    return isDeeperThan(input, DEEPEST) ? text : input
  } catch {
    return text
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1))
}
