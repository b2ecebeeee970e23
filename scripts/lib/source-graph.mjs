// Which files a package needs: those that its entries import, directly or not, and the data beside them.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import { stripTypeScriptTypes } from 'node:module'

/**
 * A workspace of ours: its folder from the root, its entries by specifier, and what it depends on.
 * @typedef {{ name: string, version: string, folder: string, exports: Record<string, string>, dependencies: Record<string, string>, optional: Record<string, string>, peers: Record<string, string> }} Workspace
 */

/** Import specifiers, and names of modules in `new URL('./x.ts', …)` or a list of programs. */
const SPECIFIER = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\2/g
const FILE_NAME = /(['"])(\.{0,2}[\w./-]*[\w-]+\.ts)\1/g

/**
 * @param {string} root
 * @param {readonly string[]} folders
 * @returns {Workspace[]}
 */
export function readWorkspaces(root, folders) {
  return folders.map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    return {
      name: manifest.name,
      version: manifest.version,
      folder,
      exports: manifest.exports ?? {},
      dependencies: manifest.dependencies ?? {},
      optional: manifest.optionalDependencies ?? {},
      peers: manifest.peerDependencies ?? {},
    }
  })
}

/**
 * The folders that `workspaces` of package.json names.
 * @param {string} root
 */
export function listWorkspaceFolders(root) {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return /** @type {string[]} */ (workspaces).flatMap((pattern) => {
    if (!pattern.endsWith('/*')) return [pattern]
    const parent = pattern.slice(0, -2)
    const names = readdirSync(join(root, parent)).filter((name) => existsSync(join(root, parent, name, 'package.json')))
    return names.map((name) => `${parent}/${name}`)
  })
}

/**
 * The file that a specifier of ours leads to, from the root; `undefined` for packages of others and for plain text.
 * @param {string} root
 * @param {readonly Workspace[]} workspaces
 * @param {{ from: string, specifier: string }} reference
 */
export function resolveOurs(root, workspaces, { from, specifier }) {
  if (/^\.{1,2}\//.test(specifier)) {
    const path = join(dirname(from), specifier).split(sep).join('/')
    return existsSync(join(root, path)) ? path : undefined
  }
  const [scope, name, ...rest] = specifier.split('/')
  const workspace = workspaces.find((candidate) => candidate.name === `${scope}/${name}`)
  if (workspace === undefined) return undefined
  const entry = workspace.exports[['.', ...rest].join('/')]
  if (entry === undefined) throw new Error(`${from}: ${specifier} is not an entry of ${workspace.name}`)
  return join(workspace.folder, entry).split(sep).join('/')
}

/**
 * The code without types, of a file from the root. Lines and columns stay as they are, so traces need no map.
 * @param {string} root
 * @param {string} path
 */
export function readCode(root, path) {
  const source = readFileSync(join(root, path), 'utf8')
  return extname(path) === '.ts' ? stripTypeScriptTypes(source) : source
}

/**
 * @param {string} code
 * @returns {string[]}
 */
export function specifiersOf(code) {
  return [...code.matchAll(SPECIFIER)].map((match) => match[3] ?? '')
}

/**
 * The sources that the entries need, from the root.
 * @param {string} root
 * @param {readonly Workspace[]} workspaces
 * @param {readonly string[]} entries
 * @returns {string[]}
 */
export function collectSources(root, workspaces, entries) {
  const found = new Set(entries)
  for (const path of found) {
    const code = readCode(root, path)
    const names = [...code.matchAll(FILE_NAME)].map((match) => match[2] ?? '')
    for (const specifier of [
      ...specifiersOf(code),
      ...names.map((name) => (name.startsWith('.') ? name : `./${name}`)),
    ]) {
      const target = resolveOurs(root, workspaces, { from: path, specifier })
      if (target !== undefined && /\.[jt]s$/.test(target)) found.add(target)
    }
  }
  return [...found].toSorted()
}

/**
 * Whatever stands in a workspace's sources and is no module: migrations, pages, tables of data.
 * @param {string} root
 * @param {readonly Workspace[]} workspaces
 * @returns {string[]}
 */
export function collectData(root, workspaces) {
  return workspaces.flatMap(({ folder }) =>
    readdirSync(join(root, folder, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && extname(entry.name) !== '.ts')
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .filter((path) => !/\/(fixtures|test-support)\//.test(path)),
  )
}

/**
 * Replaces what names our sources by what names the compiled files.
 * @param {string} text
 * @param {(specifier: string) => string | undefined} rename
 */
export function renameSpecifiers(text, rename) {
  return text
    .replace(SPECIFIER, (whole, ...[before, quote, specifier]) => {
      const renamed = rename(specifier)
      return renamed === undefined ? whole : `${before}${quote}${renamed}${quote}`
    })
    .replace(FILE_NAME, (whole, quote, name) => {
      const renamed = rename(name.startsWith('.') ? name : `./${name}`)
      return renamed === undefined ? whole : `${quote}${renamed}${quote}`
    })
}
