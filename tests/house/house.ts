import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SourceFile, parseSource } from './parse-source.ts'

export interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** A package of ours: the folder (`.` for the root) and its package.json. */
export interface Room {
  readonly folder: string
  readonly manifest: Manifest
}

/** All that the rules look at. Paths are relative to the checkout, with `/`. */
export interface House {
  readonly rooms: readonly Room[]
  readonly files: readonly SourceFile[]
}

const SOURCES = '{apps,packages,tests,scripts,examples}/**/*.{ts,tsx,mts,cts,js,mjs,cjs,jsx}'
const NOT_OURS = new Set(['node_modules', 'dist', 'generated', 'fixtures', '.cache', '.polylogue'])

export function readHouse(root: string): House {
  const exclude = (name: string) => NOT_OURS.has(name.slice(name.lastIndexOf('/') + 1))
  const find = (pattern: string) => globSync(pattern, { cwd: root, exclude }).sort()
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  return createHouse(
    Object.fromEntries(
      find('{package.json,{apps,packages}/**/package.json}').map((path) => [path, JSON.parse(read(path)) as Manifest]),
    ),
    Object.fromEntries([...find(SOURCES), ...find('*.{ts,js,mjs}')].map((path) => [path, read(path)])),
  )
}

export function createHouse(manifests: Record<string, Manifest>, sources: Record<string, string>): House {
  return {
    rooms: Object.entries(manifests).map(([path, manifest]) => ({
      folder: path.replace(/\/?package\.json$/, '') || '.',
      manifest,
    })),
    files: Object.entries(sources).map(([path, text]) => parseSource(path, text)),
  }
}

/** The room that a path lies in; the root has whatever no other room has. */
export function roomOf(house: House, path: string): Room {
  const rooms = house.rooms.filter(({ folder }) => folder === '.' || path.startsWith(`${folder}/`))
  const [nearest] = rooms.sort((left, right) => right.folder.length - left.folder.length)
  if (!nearest) throw new Error(`No package.json for ${path}`)
  return nearest
}

export function roomNamed(house: House, packageName: string): Room | undefined {
  return house.rooms.find(({ manifest }) => manifest.name === packageName)
}

/** `@scope/name/inner/file` is the package `@scope/name`. */
export function packageNameOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

export function isTest(path: string): boolean {
  return /\.test\.tsx?$|\/test-support\//.test(path) || path.startsWith('tests/')
}
