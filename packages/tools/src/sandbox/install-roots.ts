import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { isWithin } from '../protected/path-order.ts'

export interface InstallRoot {
  /** With links resolved. */
  readonly path: string
  /** A PATH folder that links to it. */
  readonly links: readonly { readonly path: string; readonly target: string }[]
}

const PROGRAM_FOLDERS = new Set(['bin', 'sbin', 'shims'])
/** Folders found next to `bin` in an installation. */
const INSTALLED = new Set(['lib', 'lib64', 'libexec', 'share', 'include', 'versions', 'toolchains', 'pkgs', 'Cellar'])
/** Toolchains with other folder names. */
const TOOLCHAINS = /^\.(?:cargo|pyenv|nvm|volta|bun|deno|asdf|sdkman|jenv|rbenv|rvm|goenv|nodenv|ghcup|cabal|dotnet)$/
/** Toolchains that need a second folder. */
const COMPANIONS: Readonly<Record<string, string>> = { '.cargo': '.rustup' }

/**
 * The folders that the programs on PATH need. This is the whole installation if a folder looks like one, and otherwise
 * only the PATH folder. It is never a home directory or a parent of one.
 */
export function findInstallRoots(path: string, home: string): readonly InstallRoot[] {
  const roots = new Map<string, { path: string; target: string }[]>()
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const named = resolve(folder)
    const found = lookAt(named, home)
    if (found === undefined) continue
    const { real, needed } = found
    for (const root of needed) roots.set(root, roots.get(root) ?? [])
    const [root = real] = needed
    if (named !== real) roots.get(root)?.push({ path: named, target: real })
  }
  return [...roots].map(([root, links]) => ({ path: root, links }))
}

/** `undefined` if this user finds no programs there: PATH may name folders of others, such as those of root. */
function lookAt(
  folder: string,
  home: string,
): { readonly real: string; readonly needed: readonly string[] } | undefined {
  try {
    if (!statSync(folder).isDirectory()) return undefined
    const real = realpathSync.native(folder)
    return { real, needed: rootsOf(real, home) }
  } catch {
    return undefined
  }
}

function rootsOf(folder: string, home: string): readonly string[] {
  const parent = dirname(folder)
  if (!PROGRAM_FOLDERS.has(basename(folder)) || isWithin(home, parent)) return [folder]
  if (!TOOLCHAINS.test(basename(parent)) && !looksInstalled(parent, home)) return [folder]
  const companion = COMPANIONS[basename(parent)]
  const beside = companion === undefined ? [] : [join(dirname(parent), companion)].filter(existsSync)
  return [parent, ...beside]
}

/** `~/.local` looks like an installation but holds user data. */
function looksInstalled(folder: string, home: string): boolean {
  if (folder === join(home, '.local')) return false
  return readdirSync(folder).some((name) => INSTALLED.has(name))
}
