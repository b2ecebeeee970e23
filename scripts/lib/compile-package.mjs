// Makes one publishable package of several workspaces: JavaScript file by file, types, no bundle (decision 10).
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, posix, relative, sep } from 'node:path'
import {
  collectData,
  collectSources,
  listWorkspaceFolders,
  readCode,
  readWorkspaces,
  renameSpecifiers,
  resolveOurs,
  specifiersOf,
} from './source-graph.mjs'
import { run } from './run.mjs'

/**
 * @typedef {object} PackageRecipe
 * @property {Record<string, unknown>} manifest what package.json says besides exports and dependencies
 * @property {Record<string, string>} dependencies those that no import shows
 * @property {Record<string, string>} exports a source by the specifier that users import, such as `.`
 * @property {readonly string[]} types packages whose global types the declarations use, such as `node`
 * @property {readonly string[]} programs sources that are started and not imported
 * @property {string} readme what the registry shows
 * @property {readonly string[]} files files of the checkout that come along as they are
 * @property {Record<string, string>} bundled dependencies of which few files are needed, each with the module that we import
 */

/**
 * Writes the package to a folder, which is emptied first.
 * @param {string} root
 * @param {PackageRecipe} recipe
 * @param {{ outDir: string, node: string }} place
 * @returns {Promise<void>}
 */
export async function compilePackage(root, recipe, { outDir, node }) {
  const workspaces = readWorkspaces(root, listWorkspaceFolders(root))
  rmSync(outDir, { recursive: true, force: true })
  const entries = [...Object.values(recipe.exports), ...recipe.programs]
  const sources = collectSources(root, workspaces, entries)
  for (const path of sources) write(outDir, toCode(path), compile(root, workspaces, path))
  const used = workspaces.filter(({ folder }) => sources.some((path) => path.startsWith(`${folder}/`)))
  for (const path of [...collectData(root, used), ...recipe.files]) {
    mkdirSync(dirname(join(outDir, path)), { recursive: true })
    copyFileSync(join(root, path), join(outDir, path))
  }
  copyFileSync(join(root, recipe.readme), join(outDir, 'README.md'))
  // Programs read their version here. A library has none: bundlers take the nearest package.json for its own.
  const versioned = recipe.programs.length > 0 ? used : []
  for (const { folder, name, version } of versioned) {
    write(outDir, `${folder}/package.json`, `${JSON.stringify({ name, version, type: 'module' })}\n`)
  }
  const emitted = await emitTypes(root, { exports: recipe.exports, workspaces }, { outDir, node })
  for (const path of emitted) {
    const text = readFileSync(join(outDir, path), 'utf8')
    const isEntry = Object.values(recipe.exports).some((entry) => entry.replace(/\.ts$/, '.d.ts') === path)
    const references = isEntry ? recipe.types.map((name) => `/// <reference types="${name}" />\n`).join('') : ''
    const renamed = renameSpecifiers(text, (specifier) => toCompiled(root, workspaces, { from: path, specifier }))
    write(outDir, path, references + renamed)
  }
  const types = keepReachable(outDir, emitted, Object.values(recipe.exports))
  for (const [name, entry] of Object.entries(recipe.bundled)) copyPart(root, { name, entry }, outDir)
  const texts = [...sources.map(toCode), ...types].map((path) => readFileSync(join(outDir, path), 'utf8'))
  write(outDir, 'package.json', `${JSON.stringify(createManifest(recipe, used, texts), null, 2)}\n`)
}

/**
 * @param {string} root
 * @param {readonly import('./source-graph.mjs').Workspace[]} workspaces
 * @param {string} path
 */
function compile(root, workspaces, path) {
  return renameSpecifiers(readCode(root, path), (specifier) => toCompiled(root, workspaces, { from: path, specifier }))
}

/**
 * The specifier of the compiled file. `undefined` if it does not name one of our sources.
 * @param {string} root
 * @param {readonly import('./source-graph.mjs').Workspace[]} workspaces
 * @param {{ from: string, specifier: string }} reference
 */
function toCompiled(root, workspaces, reference) {
  const target = resolveOurs(root, workspaces, reference)
  if (target === undefined || !/\.[jt]s$/.test(target)) return undefined
  const path = relative(dirname(reference.from), toCode(target)).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}

/** @param {string} path */
const toCode = (path) => path.replace(/\.ts$/, '.js')

/**
 * Declarations of what users import, and of what that needs.
 * @param {string} root
 * @param {{ exports: Record<string, string>, workspaces: readonly import('./source-graph.mjs').Workspace[] }} sources
 * @param {{ outDir: string, node: string }} place
 * @returns {Promise<string[]>} from the package's folder
 */
async function emitTypes(root, { exports, workspaces }, { outDir, node }) {
  const project = join(root, '.cache', `tsconfig.${process.pid}.json`)
  mkdirSync(dirname(project), { recursive: true })
  const compilerOptions = {
    noEmit: false,
    allowJs: false,
    checkJs: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir,
    rootDir: root,
    // If found through node_modules, a workspace would count as foreign, and TypeScript would not emit its declarations.
    paths: Object.fromEntries(
      workspaces.flatMap(({ name, folder, exports: own }) =>
        Object.entries(own).map(([entry, path]) => [join(name, entry), [join(root, folder, path)]]),
      ),
    ),
  }
  const files = Object.values(exports).map((path) => join(root, path))
  writeFileSync(project, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] }))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const code = await run(node, [tsc, '-p', project], { cwd: root, stdio: ['ignore', 2, 2] })
    if (code !== 0) throw new Error('TypeScript did not emit the declarations; see the output above.')
  } finally {
    rmSync(project)
  }
  return readdirSync(outDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.d.ts'))
    .map((path) => path.split(sep).join('/'))
}

/**
 * TypeScript emits a declaration for every source that it reads. Removes those that no entry leads to.
 * @param {string} outDir
 * @param {readonly string[]} emitted
 * @param {readonly string[]} entries
 * @returns {string[]} those that are left
 */
function keepReachable(outDir, emitted, entries) {
  const toTypes = (/** @type {string} */ path) => path.replace(/\.[jt]s$/, '.d.ts')
  const kept = new Set(entries.map(toTypes))
  for (const path of kept) {
    for (const specifier of specifiersOf(readFileSync(join(outDir, path), 'utf8'))) {
      if (specifier.startsWith('.')) kept.add(toTypes(posix.join(posix.dirname(path), specifier)))
    }
  }
  for (const path of emitted) if (!kept.has(path)) rmSync(join(outDir, path))
  return [...kept]
}

/**
 * Copies one module of an installed package, with what it imports, its licence and its manifests.
 * @param {string} root
 * @param {{ name: string, entry: string }} part
 * @param {string} outDir
 */
function copyPart(root, { name, entry }, outDir) {
  const home = join('node_modules', name)
  const modules = new Set([entry])
  for (const path of modules) {
    for (const specifier of specifiersOf(readFileSync(join(root, home, path), 'utf8'))) {
      if (!specifier.startsWith('.')) throw new Error(`${name} imports ${specifier}, which would be missing.`)
      modules.add(posix.join(posix.dirname(path), specifier))
    }
  }
  const folders = new Set([...modules].map((path) => posix.dirname(path).split('/')[0] ?? ''))
  const around = ['LICENSE', 'package.json', ...[...folders].map((folder) => `${folder}/package.json`)]
  for (const path of [...around.filter((file) => existsSync(join(root, home, file))), ...modules]) {
    mkdirSync(dirname(join(outDir, home, path)), { recursive: true })
    copyFileSync(join(root, home, path), join(outDir, home, path))
  }
}

/**
 * @param {PackageRecipe} recipe
 * @param {readonly import('./source-graph.mjs').Workspace[]} used
 * @param {readonly string[]} texts
 */
function createManifest(recipe, used, texts) {
  const all = texts.join('\n')
  const isNamed = (/** @type {string} */ name) => new RegExp(`['"]${name.replaceAll(/[/.]/g, '\\$&')}['"/]`).test(all)
  const wanted = Object.entries(Object.assign({}, ...used.map(({ dependencies }) => dependencies)))
  const dependencies = wanted.filter(([name]) => !name.startsWith('@polylogue/') && isNamed(name)).toSorted()
  // Every peer is optional: large packages that few users need.
  const peers = Object.entries(Object.assign({}, ...used.map((workspace) => workspace.peers))).filter(([name]) =>
    isNamed(name),
  )
  refuseUndeclared(
    texts,
    [...dependencies, ...peers].map(([name]) => name),
  )
  const exports = Object.entries(recipe.exports).map(([specifier, path]) => {
    const code = `./${toCode(path)}`
    return [specifier, { types: code.replace(/\.js$/, '.d.ts'), default: code }]
  })
  return {
    ...recipe.manifest,
    exports: Object.fromEntries(exports),
    dependencies: { ...Object.fromEntries(dependencies), ...recipe.dependencies },
    ...(Object.keys(recipe.bundled).length > 0 && { bundleDependencies: Object.keys(recipe.bundled) }),
    ...(peers.length > 0 && {
      peerDependencies: Object.fromEntries(peers),
      peerDependenciesMeta: Object.fromEntries(peers.map(([name]) => [name, { optional: true }])),
    }),
  }
}

/**
 * An import that no dependency provides works here, beside the tests' own packages, and nowhere else.
 * @param {readonly string[]} texts
 * @param {readonly string[]} names
 */
function refuseUndeclared(texts, names) {
  for (const specifier of texts.flatMap(specifiersOf)) {
    if (/^(?:node:|\.|polylogue$|#)/.test(specifier) || !/^(?:@[\w-]+\/)?[\w.-]+(?:\/[\w./-]+)?$/.test(specifier))
      continue
    // Ours say `node:`. Without it, the name stands in a text about code of others.
    if (isBuiltin(specifier)) continue
    if (names.some((name) => specifier === name || specifier.startsWith(`${name}/`))) continue
    throw new Error(`${specifier} is imported, and no workspace that is packed depends on it.`)
  }
}

/**
 * @param {string} outDir
 * @param {string} path
 * @param {string} text
 */
function write(outDir, path, text) {
  const target = join(outDir, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
}
