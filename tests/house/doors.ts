// A room is entered by its package name, or by an entry that it declares, and says what it needs. npm hoists every workspace
// and every dependency to the top, so a deep import, or one that package.json does not declare, resolves all the same.
import { posix } from 'node:path'
import { isBuiltin } from 'node:module'
import { type House, type Manifest, type Room, isTest, packageNameOf, roomNamed, roomOf } from './house.ts'

export function findDeepImports(house: House): string[] {
  return eachImport(house, ({ path, specifier }) => {
    const name = packageNameOf(specifier)
    const room = roomNamed(house, name)
    const isDeep = room !== undefined && !entriesOf(room).includes(specifier)
    return isDeep ? `${path} reaches into ${name}: ${specifier}` : undefined
  })
}

export function findImportsThatLeaveTheirRoom(house: House): string[] {
  return eachImport(house, ({ path, specifier, room }) => {
    if (specifier.startsWith('/') || specifier.startsWith('file:'))
      return `${path} imports an absolute path: ${specifier}`
    if (!specifier.startsWith('.')) return undefined
    const target = posix.join(posix.dirname(path), specifier)
    return target.startsWith('..') || roomOf(house, target) !== room
      ? `${path} leaves ${room.folder}: ${specifier}`
      : undefined
  })
}

export function findUndeclaredImports(house: House): string[] {
  return eachImport(house, ({ path, specifier, room }) => {
    if (/^[./#]/.test(specifier) || isBuiltin(specifier)) return undefined
    const name = packageNameOf(specifier)
    if (name === room.manifest.name) return undefined
    return declaredFor(house, path, room).has(name)
      ? undefined
      : `${path} uses ${name}, which ${manifestPath(room)} does not declare`
  })
}

export function findRoomsWithManyDoors(house: House): string[] {
  return house.rooms
    .filter((room) => room.folder !== '.' && !isClosed(room) && !hasKnownEntries(room))
    .map(
      (room) => `${manifestPath(room)} must export "." at ./src/index.ts and at most "./client" and "./light" besides`,
    )
}

/** An application that nobody imports, such as one for a browser. */
const isClosed = ({ folder, manifest: { exports } }: Room): boolean =>
  folder.startsWith('apps/') && exports === undefined

/** The closure of a light entry: it is loaded before a process gives its first answer. */
export function findHeavyImports(house: House): string[] {
  const files = new Map(house.files.map((file) => [file.path, file]))
  const entries = house.rooms.flatMap((room) => (hasLightEntry(room) ? [`${room.folder}/src/light/index.ts`] : []))
  const reached = new Set(entries)
  // The set grows while it is walked.
  for (const path of reached) {
    for (const { specifier, isTypeOnly } of files.get(path)?.imports ?? []) {
      if (!isTypeOnly && specifier.startsWith('.')) reached.add(posix.join(posix.dirname(path), specifier))
    }
  }
  return [...reached].flatMap((path) =>
    (files.get(path)?.imports ?? [])
      .filter(({ specifier, isTypeOnly }) => !isTypeOnly && !isLight(house, specifier))
      .map(({ specifier, line }) => `${path}:${line} is part of a light entry and may not load ${specifier}`),
  )
}

function isLight(house: House, specifier: string): boolean {
  if (specifier.startsWith('.') || isBuiltin(specifier)) return true
  const room = roomNamed(house, packageNameOf(specifier))
  return room !== undefined && hasLightEntry(room) && specifier === `${room.manifest.name}/light`
}

/** A browser that loads a client must not load the engine. What answers first must not wait for anything else. */
const ENTRIES: Readonly<Record<string, string>> = {
  '.': './src/index.ts',
  './client': './src/client/index.ts',
  './light': './src/light/index.ts',
}

/** The published client has an entry per door, so that a page loads only the doors that it uses. */
const CLIENT_ENTRIES: Readonly<Record<string, string>> = {
  '.': './src/index.ts',
  './aap': './src/aap/index.ts',
  './blade': './src/blade/index.ts',
  './console': './src/console/index.ts',
}

function hasKnownEntries({ folder, manifest: { exports = {} } }: Room): boolean {
  const known = folder === 'packages/client' ? CLIENT_ENTRIES : ENTRIES
  const entries = Object.entries(exports)
  return '.' in exports && entries.every(([entry, target]) => known[entry] === target)
}

const hasLightEntry = ({ manifest: { exports = {} } }: Room): boolean => './light' in exports

const entriesOf = ({ manifest: { name, exports = {} } }: Room): readonly string[] =>
  Object.keys(exports).map((entry) => `${name}${entry.slice(1)}`)

/**
 * Code that ships declares its own dependencies. Tests, and testkit, which is nothing but tests, may also use what
 * the root declares for development, and any room of ours that the arrows allow. Examples use what the server has,
 * because they run inside it, and pages what the web console has.
 */
function declaredFor(house: House, path: string, room: Room): Set<string> {
  const own = namesIn(room.manifest)
  if (isTest(path) || room.folder === 'packages/testkit') {
    const forDevelopment = [room, ...house.rooms.filter(({ folder }) => folder === '.')]
    const ours = isTest(path) ? house.rooms.map(({ manifest }) => manifest.name) : []
    return new Set([
      ...own,
      ...ours,
      ...forDevelopment.flatMap(({ manifest }) => Object.keys(manifest.devDependencies ?? {})),
    ])
  }
  if (room.folder !== '.') return own
  const server = path.startsWith('examples/')
    ? house.rooms.filter(({ folder }) => folder === 'apps/server' || folder === 'apps/web')
    : []
  return new Set([
    ...own,
    ...Object.keys(room.manifest.devDependencies ?? {}),
    ...server.flatMap(({ manifest }) => [...namesIn(manifest)]),
    ...(path.startsWith('examples/') ? ['@polylogue/client'] : []),
  ])
}

function namesIn({ dependencies, peerDependencies }: Manifest): Set<string> {
  return new Set([...Object.keys(dependencies ?? {}), ...Object.keys(peerDependencies ?? {})])
}

function manifestPath({ folder }: Room): string {
  return posix.join(folder, 'package.json')
}

interface Import {
  readonly path: string
  readonly specifier: string
  readonly room: Room
}

function eachImport(house: House, complain: (found: Import) => string | undefined): string[] {
  return house.files.flatMap(({ path, imports }) => {
    const room = roomOf(house, path)
    return imports
      .map(({ specifier }) => complain({ path, specifier, room }))
      .filter((complaint) => complaint !== undefined)
  })
}
