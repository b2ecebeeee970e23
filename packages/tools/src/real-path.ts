import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Resolves links in the existing part of the path. The rest need not exist. A path of thousands of missing folders costs a
 * few calls of the system: what does not exist has nothing below it, so the end of the existing part is searched by halves.
 */
export function realPathOf(path: string): string {
  const whole = resolved(path)
  if (whole !== undefined) return whole
  // A new file in a folder, mostly.
  const folder = resolved(dirname(path))
  if (folder !== undefined) return join(folder, basename(path))
  const upwards = [path]
  for (let place = dirname(path); place !== upwards.at(-1); place = dirname(place)) upwards.push(place)
  const top = upwards.at(-1) ?? path
  let real = resolved(top) ?? top
  let missing = 0
  let existing = upwards.length - 1
  while (existing - missing > 1) {
    const middle = Math.floor((missing + existing) / 2)
    const found = resolved(upwards[middle] ?? path)
    if (found === undefined) missing = middle
    else {
      real = found
      existing = middle
    }
  }
  const rest = upwards.slice(0, existing).map((place) => basename(place))
  return join(real, ...rest.toReversed())
}

/**
 * Only the system's own call holds while another process swaps folders and links: Node's `realpathSync` looks at a name,
 * then reads it as a link, and fails when it has become a folder in between.
 */
function resolved(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return undefined
  }
}
