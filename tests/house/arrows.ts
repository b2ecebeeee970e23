// Which room may import which. Arrows point down only: apps, then the siblings that translate one foreign thing
// each, then the kit that they share, then the engine.
import { isBuiltin } from 'node:module'
import { type House, isTest, packageNameOf, roomNamed, roomOf } from './house.ts'

interface Arrows {
  readonly to: readonly string[]
  readonly typesOnlyTo?: readonly string[]
  /** Rooms of which only the entry `/client` may be imported. */
  readonly clientsOf?: readonly string[]
  /** Packages of others; absent means any that package.json declares. */
  readonly foreign?: readonly string[]
  readonly hasNoBuiltins?: boolean
}

const KIT = 'packages/protocols/kit'
const ROWS = 'packages/stores/rows'
const SIBLING: Arrows = { to: ['packages/engine', KIT] }
const SIBLINGS = ['packages/models', 'packages/tools', 'packages/stores/*', 'packages/protocols/*']

const ARROWS: Readonly<Record<string, Arrows>> = {
  'packages/engine': { to: [], foreign: ['zod', 're2js'], hasNoBuiltins: true },
  // Types only: whoever uses the kit before the engine is loaded does not wait for the engine.
  [KIT]: { to: [], typesOnlyTo: ['packages/engine'] },
  [ROWS]: { to: ['packages/engine'] },
  ...Object.fromEntries(SIBLINGS.map((sibling) => [sibling, SIBLING])),
  'packages/stores/*': { to: [...SIBLING.to, ROWS] },
  'packages/testkit': SIBLING,
  'packages/client': { to: [], clientsOf: ['packages/protocols/*'] },
  'apps/server': { to: ['packages/engine', KIT, ...SIBLINGS] },
  // A browser never imports the engine.
  'apps/web': { to: ['packages/client'], clientsOf: ['packages/protocols/*'] },
  'apps/cli': { to: ['apps/server', KIT], typesOnlyTo: ['packages/engine'], clientsOf: ['packages/protocols/*'] },
}

export function findWrongArrows(house: House): string[] {
  return house.files.flatMap((file) => {
    const from = roomOf(house, file.path)
    const arrows = isTest(file.path) ? withTestkit(arrowsOf(from.folder)) : arrowsOf(from.folder)
    if (!arrows) return []
    return file.imports.flatMap(({ specifier, isTypeOnly, line }) => {
      const target = roomNamed(house, packageNameOf(specifier))?.folder
      if (target === undefined || target === from.folder) return []
      const allowed = [
        ...arrows.to,
        ...(isTypeOnly ? (arrows.typesOnlyTo ?? []) : []),
        ...(specifier.endsWith('/client') ? (arrows.clientsOf ?? []) : []),
      ]
      return allowed.includes(kindOf(target)) ? [] : [`${file.path}:${line} ${from.folder} may not import ${specifier}`]
    })
  })
}

export function findForeignImportsOfTheEngine(house: House): string[] {
  return house.files.flatMap((file) => {
    const { folder } = roomOf(house, file.path)
    const arrows = isTest(file.path) ? undefined : arrowsOf(folder)
    if (!arrows?.foreign) return []
    return file.imports
      .filter(({ specifier }) => {
        if (specifier.startsWith('.')) return false
        if (isBuiltin(specifier)) return arrows.hasNoBuiltins === true
        const name = packageNameOf(specifier)
        return !roomNamed(house, name) && !arrows.foreign?.includes(name)
      })
      .map(({ specifier, line }) => `${file.path}:${line} ${folder} may not import ${specifier}`)
  })
}

/** The root's folders: whole-server tests may use everything, examples only what we publish, scripts nothing. */
export function findWrongArrowsOfTheRoot(house: House): string[] {
  return house.files.flatMap((file) => {
    if (roomOf(house, file.path).folder !== '.' || file.path.startsWith('tests/')) return []
    const allowed = file.path.startsWith('examples/') ? PUBLISHED : []
    return file.imports
      .filter(({ specifier }) => {
        const target = roomNamed(house, packageNameOf(specifier))
        return target && !allowed.includes(target.folder)
      })
      .map(({ specifier, line }) => `${file.path}:${line} may not import ${specifier}`)
  })
}

/** What users install. */
const PUBLISHED = ['.', 'packages/client']

export function findRoomsWithoutArrows(house: House): string[] {
  return house.rooms
    .filter(({ folder }) => folder !== '.' && !arrowsOf(folder))
    .map(({ folder }) => `${folder} has no row in tests/house/arrows.ts: decide what it may import`)
}

function withTestkit(arrows: Arrows | undefined): Arrows | undefined {
  return arrows && { ...arrows, to: [...arrows.to, 'packages/testkit'] }
}

function arrowsOf(folder: string): Arrows | undefined {
  return ARROWS[kindOf(folder)]
}

/** Stores and protocols are many of a kind: `packages/stores/sqlite` is a `packages/stores/*`. */
function kindOf(folder: string): string {
  if (folder === KIT || folder === ROWS) return folder
  return folder.replace(/^packages\/(stores|protocols)\/[^/]+$/, 'packages/$1/*')
}
