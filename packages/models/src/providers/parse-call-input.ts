/** As deep as the doors let JSON be. Much deeper values can be read but not written again. */
const DEEPEST = 64

/** What the model wrote for a call: parsed if it is JSON that can be stored, else the text itself. */
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
