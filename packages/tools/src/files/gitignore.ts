import { compileOne, type Glob } from './glob.ts'

/** The rules of this directory's `.gitignore`. They come before those of the parent directories. */
export interface IgnoreRules {
  /** The number of path parts that lead to that directory. */
  readonly depth: number
  readonly rules: readonly IgnoreRule[]
  readonly above?: IgnoreRules
}

interface IgnoreRule {
  readonly matches: Glob
  readonly isForDirectories: boolean
  /** `!pattern`: what it matches is not ignored. */
  readonly isException: boolean
}

const MOST_RULES = 2000

export function parseIgnoreFile(text: string, place: Omit<IgnoreRules, 'rules'>): IgnoreRules {
  const rules = text
    .split(/\r?\n/, MOST_RULES)
    .map(parseRule)
    .filter((rule) => rule !== undefined)
  return { ...place, rules }
}

/** The last matching rule decides. A deeper `.gitignore` overrides a higher one. */
export function isIgnored(
  rules: IgnoreRules | undefined,
  names: readonly string[],
  { isDirectory }: { readonly isDirectory: boolean },
): boolean {
  for (let level = rules; level; level = level.above) {
    const below = names.slice(level.depth)
    const rule = level.rules.findLast(
      ({ matches, isForDirectories }) => (isDirectory || !isForDirectories) && matches(below),
    )
    if (rule) return !rule.isException
  }
  return false
}

function parseRule(line: string): IgnoreRule | undefined {
  const trimmed = line.replace(/(?<![\\ \t])[ \t]+$|(?<=\\[ \t])[ \t]+$/, '')
  if (trimmed === '' || trimmed.startsWith('#')) return undefined
  const isException = trimmed.startsWith('!')
  const pattern = isException ? trimmed.slice(1) : trimmed
  const isForDirectories = pattern.endsWith('/')
  const path = isForDirectories ? pattern.slice(0, -1) : pattern
  if (path === '') return undefined
  // A slash before the last character anchors the pattern to the directory of the file.
  const isAnchored = path.includes('/')
  return { matches: compileOne(isAnchored ? path : `**/${path}`), isForDirectories, isException }
}
