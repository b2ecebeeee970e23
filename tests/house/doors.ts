// A room is entered by its package name, or by the client inside it, and says what it needs. npm hoists every workspace and every dependency
// to the top, so an import that goes round the door, or that package.json does not declare, resolves all the same.
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
    .filter(({ folder, manifest }) => folder !== '.' && !DOORS.has(JSON.stringify(manifest.exports)))
    .map((room) => `${manifestPath(room)} must export "." at ./src/index.ts and at most "./client" besides`)
}

/** A client is an entry of its own: a browser that loads it must not load the engine. */
const DOORS = new Set(['{".":"./src/index.ts"}', '{".":"./src/index.ts","./client":"./src/client/index.ts"}'])

const entriesOf = ({ manifest: { name, exports = {} } }: Room): readonly string[] =>
  Object.keys(exports).map((entry) => `${name}${entry.slice(1)}`)

/**
 * Code that ships declares its own dependencies. Tests, and testkit, which is nothing but tests, may also use what
 * the root declares for development, and any room of ours that the arrows allow. Examples use what the server has,
 * because they run inside it.
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
  const server = path.startsWith('examples/') ? house.rooms.filter(({ folder }) => folder === 'apps/server') : []
  return new Set([
    ...own,
    ...Object.keys(room.manifest.devDependencies ?? {}),
    ...server.flatMap(({ manifest }) => [...namesIn(manifest)]),
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
