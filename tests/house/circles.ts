// The folders of the engine build on one another: between two of them, imports go one way only.
import { posix } from 'node:path'
import { type House, isTest } from './house.ts'

const SOURCES = 'packages/engine/src/'

interface Arrow {
  readonly from: string
  readonly to: string
  readonly example: string
}

/** One complaint for each arrow that is part of a circle; type imports count. Files beside the folders stand for themselves. */
export function findCirclesOfFolders(house: House): string[] {
  const arrows = arrowsBetweenFolders(house)
  return arrows
    .filter(({ from, to }) => reaches(arrows, to, from))
    .map(({ from, to, example }) => `${SOURCES}${example}: ${to} imports ${from} as well, directly or through others`)
}

function arrowsBetweenFolders({ files }: House): Arrow[] {
  const arrows = new Map<string, Arrow>()
  for (const { path, imports } of files) {
    if (!path.startsWith(SOURCES) || isTest(path) || path === `${SOURCES}index.ts`) continue
    for (const { specifier } of imports) {
      if (!specifier.startsWith('.')) continue
      const target = posix.join(posix.dirname(path), specifier)
      const [from, to] = [placeOf(path), placeOf(target)]
      const example = `${path.slice(SOURCES.length)} imports ${target.slice(SOURCES.length)}`
      if (from !== to && !arrows.has(`${from} ${to}`)) arrows.set(`${from} ${to}`, { from, to, example })
    }
  }
  return [...arrows.values()]
}

const placeOf = (path: string): string => path.slice(SOURCES.length).split('/')[0] ?? path

function reaches(arrows: readonly Arrow[], from: string, to: string): boolean {
  const seen = new Set([from])
  for (const place of seen) for (const arrow of arrows) if (arrow.from === place) seen.add(arrow.to)
  return seen.has(to)
}
