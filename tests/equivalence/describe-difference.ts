import { isDeepStrictEqual } from 'node:util'
import type { Difference } from './play-scenario.ts'

/** The first thing that differs, on one line. */
export function describeDifference({ door, where, told, expected }: Difference): string {
  const at = told.items.findIndex((item, index) => !isDeepStrictEqual(item, expected.items[index]))
  const first = at === -1 && told.items.length < expected.items.length ? told.items.length : at
  const [is, shall] =
    first === -1
      ? [told.state ?? 'no state', expected.state ?? 'no state']
      : [told.items[first] ?? 'nothing', expected.items[first] ?? 'nothing']
  return `${door} at ${where}: told ${JSON.stringify(is)}, expected ${JSON.stringify(shall)}`
}
