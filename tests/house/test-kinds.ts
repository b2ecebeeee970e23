// Which tests may start processes, and which need none and can share threads.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'

export interface TestKinds {
  /** These share threads and modules, so they must leave nothing behind. */
  readonly pure: readonly string[]
  readonly process: readonly string[]
}

/** Texts of source files and manifests, by their path from the root of the checkout. */
export type Sources = ReadonlyMap<string, string>

const TEST = /(?<!\.proof)\.test\.tsx?$/
const NEEDS_A_PROGRAM = /\.(?:browser|sandbox|postgres|redis|tmux)\.test\.ts$/
const STARTS_PROCESSES = 'node:child_process'
/** Read by pattern, not by syntax tree: every start of vitest waits for it, and a wrong guess does no harm. */
const IMPORT = /^(?:import|export) (?!type )(?:[^'"]*? from )?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm

export function readSources(root: string): Sources {
  const patterns = ['{apps,packages,tests,scripts}/**/*.{ts,tsx,mjs,js}', '{apps,packages}/**/package.json']
  const isOther = (path: string): boolean => /(?:^|\/)(?:node_modules|fixtures|public)$/.test(path)
  const paths = globSync(patterns, { cwd: root, exclude: isOther }).sort()
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

/** A test may start a process if anything that it imports, directly or not, imports `node:child_process`. */
export function findTestKinds(sources: Sources): TestKinds {
  const entries = findEntries(sources)
  const importsOf = new Map([...sources].map(([path, text]) => [path, targetsOf(path, text, entries)]))
  const tests = [...sources.keys()].filter((path) => TEST.test(path))
  const needsProcess = (path: string): boolean =>
    NEEDS_A_PROGRAM.test(path) || closureOf(path, importsOf).has(STARTS_PROCESSES)
  return { pure: tests.filter((path) => !needsProcess(path)), process: tests.filter(needsProcess) }
}

function closureOf(start: string, importsOf: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set([start])
  for (const path of found) for (const target of importsOf.get(path) ?? []) found.add(target)
  return found
}

/** Files of the checkout by their path, other modules by their specifier. */
function targetsOf(path: string, text: string, entries: ReadonlyMap<string, string>): readonly string[] {
  return [...text.matchAll(IMPORT)].map(([, declared = '', dynamic = '']) => {
    const specifier = declared || dynamic
    return specifier.startsWith('.') ? join(dirname(path), specifier) : (entries.get(specifier) ?? specifier)
  })
}

/** What our packages export: `@polylogue/engine` is a file. */
function findEntries(sources: Sources): ReadonlyMap<string, string> {
  const manifests = [...sources].filter(([path]) => path.endsWith('/package.json'))
  return new Map(
    manifests.flatMap(([path, text]) => {
      const { name, exports = {} } = JSON.parse(text) as { name: string; exports?: Record<string, string> }
      return Object.entries(exports).map(([key, file]): [string, string] => [
        join(name, key),
        join(dirname(path), file),
      ])
    }),
  )
}
