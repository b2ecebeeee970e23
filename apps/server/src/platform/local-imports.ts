/**
 * The files that a module imports by path, and the files that those import. The module itself is not among them.
 *
 * This reads the text of the modules. It finds `import`, `export from`, dynamic imports and `require()` with a literal path,
 * aliases (`#name`) and the own name of the nearest package.json, and every other literal that names an existing module or data file, for
 * example in `new URL('./worker.ts', import.meta.url)`. It does not find a path that is computed, nor packages in
 * `node_modules`.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, extname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const MODULES = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.tsx', '.jsx'])
const LOADED = new Set([...MODULES, '.json', '.node', '.wasm', '.md', '.txt', '.yaml', '.yml'])
/** `require` tries these behind a path. */
const ENDINGS = ['', '.js', '.json', '.node', '.ts', '.mts', '.mjs', '.cts', '.cjs']
const LITERAL =
  /(\b(?:from|import|require)\s*(?:\(\s*)?(?:\/\*.{0,200}?\*\/\s*)?)?(['"`])((?:(?!\2)[^\n\\]|\\[^]){1,65536})\2/g
/** Further files are not looked for. */
export const MOST_IMPORTS = 2_000
/** What a larger module imports is not looked for. */
export const LARGEST_MODULE = 4 * 1024 * 1024

export const isModule = (path: string): boolean => MODULES.has(extname(path))

export function findLocalImports(file: string): readonly string[] {
  const start = resolve(file)
  const found = new Set<string>([start])
  for (const path of found) {
    if (found.size > MOST_IMPORTS) break
    for (const imported of importsIn(path)) found.add(imported)
  }
  found.delete(start)
  return [...found]
}

function importsIn(path: string): readonly string[] {
  const real = realPathOf(path)
  if (real === undefined || !isModule(real)) return []
  const linked = real === path ? [] : [real]
  const named = [...textOf(real).matchAll(LITERAL)].flatMap(([, keyword, , literal = '']) => {
    const specifier = unescapeLiteral(literal)
    const targets = toPaths(specifier, real)
    if (targets.length > 0) return targets.flatMap((target) => filesAt(target, keyword !== undefined))
    return keyword === undefined ? [] : aliasedNear(dirname(real), specifier)
  })
  return [...linked, ...named]
}

/** `require` takes a path. `import` and `new URL` take a URL, in which `%65` is `e`, `\\` is `/`, and tabs are nothing. */
function toPaths(specifier: string, from: string): readonly string[] {
  const isRelative = /^\.{1,2}[/\\]/.test(specifier) || isAbsolute(specifier)
  const url = URL.parse(specifier) ?? (isRelative ? URL.parse(specifier, pathToFileURL(from).href) : null)
  const byUrl = url?.protocol === 'file:' ? attempt(() => fileURLToPath(new URL(url.pathname, 'file:///'))) : undefined
  const [path = ''] = specifier.split(/[?#]/)
  const byName = isRelative ? [resolve(dirname(from), path), resolve(dirname(from), specifier)] : []
  return [...new Set([...byName, ...(byUrl === undefined ? [] : [byUrl])])]
}

/** A path that is imported can lack its ending or be a directory. Any other literal must name a file that can be loaded. */
function filesAt(path: string, isImport: boolean): readonly string[] {
  if (!isImport) return LOADED.has(extname(path)) && isFile(path) ? [path] : []
  const candidates = [path, join(path, 'index'), join(path, 'package')]
  const found = candidates.flatMap((base) => ENDINGS.map((ending) => base + ending)).filter(isFile)
  return found.includes(join(path, 'package.json')) ? [...found, ...pathsIn(join(path, 'package.json'))] : found
}

/** For an alias or the package's own name: the nearest package.json and everything that it can lead to. */
function aliasedNear(directory: string, specifier: string): readonly string[] {
  for (let at = directory; ; at = dirname(at)) {
    const file = join(at, 'package.json')
    if (isFile(file)) {
      const targets = targetsOf(file, specifier)
      return targets === undefined ? [] : [file, ...pathsIn(file), ...targets]
    }
    if (dirname(at) === at) return []
  }
}

/** The files that the package's patterns (`"./*": "./src/*.ts"`) make of a name. `undefined`: a name of another package. */
function targetsOf(packageFile: string, specifier: string): readonly string[] | undefined {
  const { name, imports, exports } = parseObject(textOf(packageFile))
  const isOwn = typeof name === 'string' && (specifier === name || specifier.startsWith(`${name}/`))
  if (!isOwn && !specifier.startsWith('#')) return undefined
  const wanted = isOwn ? `.${specifier.slice(name.length)}` : specifier
  const table = isOwn ? exports : imports
  return Object.entries(typeof table === 'object' && table !== null ? table : {}).flatMap(([key, target]) => {
    const [before = '', after] = key.split('*')
    if (after === undefined || !wanted.startsWith(before) || !wanted.endsWith(after)) return []
    const star = wanted.slice(before.length, wanted.length - after.length)
    return textsIn(target)
      .map((text) => resolve(dirname(packageFile), text.replaceAll('*', star)))
      .filter(isFile)
  })
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

function pathsIn(packageFile: string): readonly string[] {
  return [...textOf(packageFile).matchAll(/"(\.{1,2}\/[^"\n]{1,1000}|[\w-][^"\n:]*\.[cm]?js)"/g)]
    .map(([, path = '']) => resolve(dirname(packageFile), path))
    .filter(isFile)
}

const ESCAPE = /\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|([0-7]{1,3})|\r?\n|(.))/gi

const unescapeLiteral = (literal: string): string =>
  literal.replaceAll(ESCAPE, (...[, long, unicode, hex, octal, plain]: readonly unknown[]) => {
    if (typeof plain === 'string') return plain
    if (typeof octal === 'string') return codePoint(Number.parseInt(octal, 8))
    const digits = long ?? unicode ?? hex
    return typeof digits === 'string' ? codePoint(Number.parseInt(digits, 16)) : ''
  })

const codePoint = (code: number): string => (code <= 0x10_ff_ff ? String.fromCodePoint(code) : '')

const isFile = (path: string): boolean => attempt(() => statSync(path).isFile()) ?? false

const realPathOf = (path: string): string | undefined => attempt(() => realpathSync(path))

const textOf = (path: string): string =>
  attempt(() => (statSync(path).size > LARGEST_MODULE ? '' : readFileSync(path, 'utf8'))) ?? ''

/** `undefined` for a path that is missing, unreadable or no path at all. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return undefined
  }
}
