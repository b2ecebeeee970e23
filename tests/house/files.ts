// What a single file must not contain, and how long it may be.
import { type House, isTest } from './house.ts'

const MOST_LINES = 400
const MOST_LINES_OF_A_TEST = 800

export function findLongFiles(house: House): string[] {
  return house.files.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
    const most = /\.test\.tsx?$/.test(path) ? MOST_LINES_OF_A_TEST : MOST_LINES
    return lines > most ? [`${path} has ${lines} lines, ${most} at most: split it by idea`] : []
  })
}

export function findStarExports(house: House): string[] {
  return house.files.flatMap(({ path, starExports }) =>
    starExports.map((line) => `${path}:${line} exports *: name what you export`),
  )
}

export function findConsoleUses(house: House): string[] {
  return house.files
    .filter(({ path }) => path.startsWith('packages/') && !isTest(path))
    .flatMap(({ path, consoleUses }) => consoleUses.map((line) => `${path}:${line} writes to the console`))
}
