import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, extname, isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const MODULES = new Set(['.ts', '.js', '.mjs', '.cjs', '.mts', '.cts'])
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"\n]{1,1000})\1/g
const MOST_FILES = 500
const LARGEST_FILE = 1024 * 1024

/**
 * The files that a module imports by path, and those that they import, without the module itself. It reads the text: an
 * import whose path is computed is not found.
 */
export function findLocalImports(file: string): readonly string[] {
  const found = new Set<string>([resolve(file)])
  for (const path of found) {
    if (found.size > MOST_FILES) break
    for (const imported of importsIn(path)) found.add(imported)
  }
  return [...found].slice(1)
}

function importsIn(path: string): readonly string[] {
  if (!MODULES.has(extname(path))) return []
  return [...textOf(path).matchAll(SPECIFIER)].flatMap(([, , specifier = '']) => {
    const target = toPath(specifier, dirname(path))
    return target !== undefined && existsSync(target) ? [target] : []
  })
}

function toPath(specifier: string, directory: string): string | undefined {
  if (specifier.startsWith('file:')) return fileURLToPath(specifier)
  return /^\.{1,2}\//.test(specifier) || isAbsolute(specifier) ? resolve(directory, specifier) : undefined
}

function textOf(path: string): string {
  try {
    return statSync(path).size > LARGEST_FILE ? '' : readFileSync(path, 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return ''
  }
}
