import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const FOLDER = new URL('.', import.meta.url)
/** Items of the list are session objects and history has an endpoint of its own in v3 only. */
const PATHS_OF_V3_ONLY = ['31', '42', '43', '44']
const LETTERED = ['110a', '110c', '110d', '110e']
const BOTH_BASES = [...range(8, 109), ...LETTERED].filter((line) => !PATHS_OF_V3_ONLY.includes(line))

/** Numbers in the names of tests. A name with `${mark}` stands for both bases. */
function linesTested(): { readonly v3: ReadonlySet<string>; readonly v1: ReadonlySet<string> } {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.test.ts'))
  const names = files.flatMap((name) => [
    ...readFileSync(new URL(name, FOLDER), 'utf8').matchAll(/\bit\(\s*['`]aap (\d+[a-z]?)(: | \(v1\): |\$\{mark\}: )/g),
  ])
  const linesWith = (...marks: readonly string[]): ReadonlySet<string> =>
    new Set(names.filter(([, , mark = '']) => marks.includes(mark)).map(([, line = '']) => line))
  return { v3: linesWith(': ', '${mark}: '), v1: linesWith(' (v1): ', '${mark}: ') }
}

function range(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`)
}

describe('the conformance checklist', () => {
  const { v3, v1 } = linesTested()

  it('has a test named after each of our lines', () => {
    expect([...range(1, 109), ...LETTERED, ...range(115, 126), '128'].filter((line) => !v3.has(line))).toEqual([])
  })

  it('holds on the older base too, wherever the path exists', () => {
    expect(BOTH_BASES.filter((line) => !v1.has(line))).toEqual([])
  })
})
