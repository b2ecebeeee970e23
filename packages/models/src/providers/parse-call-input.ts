import { ValueCount } from './value-count.ts'

/** The same depth as the doors allow. V8 parses far deeper values but cannot serialise them. */
const DEEPEST = 64
/** Every reader of the session walks through all of them, several times. */
const MOST_VALUES = 50_000

/** The input a model wrote for a call: parsed if it is JSON we can store, otherwise the raw text. */
export function parseCallInput(text: string): unknown {
  if (text.trim() === '') return {}
  if (hasTooManyValues(text)) return text
  try {
    const input: unknown = JSON.parse(text)
    return isDeeperThan(input, DEEPEST) ? text : input
  } catch {
    return text
  }
}

function hasTooManyValues(text: string): boolean {
  const count = new ValueCount()
  for (let at = 0; at < text.length; at += 1) {
    count.push(text.charCodeAt(at))
    if (count.values > MOST_VALUES) return true
  }
  return false
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1))
}
