/**
 * A disk that can lose any data that was not synced before a power loss.
 *
 * - The bytes of a file are safe after a sync of that file. Each later write or truncation is independently kept,
 *   dropped or torn, which keeps some of its 512-byte sectors. Writes reach the disk in any order, so a later one may
 *   survive without an earlier one.
 * - Names (create, link, rename, unlink) are safe after a sync of the directory. Before that, only the first of these
 *   operations survive: a journaling filesystem loses the newest ones. Syncing the file alone keeps no name.
 */
import type { SeededRandom } from '../seeded-random.ts'
import { FileBytes } from './file-bytes.ts'
import type { FileOperation } from './file-operation.ts'

/** The files of the directory by name. */
export type Image = ReadonlyMap<string, Buffer>

export interface SimulatedDisk {
  apply(operation: FileOperation): void
  /** The files after a power loss at this point. */
  imageAfterPowerLoss(random: SeededRandom): Image
}

type NameOperation = Extract<FileOperation, { type: 'create' | 'link' | 'rename' | 'unlink' }>
type ContentOperation = Extract<FileOperation, { type: 'write' | 'truncate' }>

interface Inode {
  readonly safe: FileBytes
  unsafe: ContentOperation[]
}

const SECTOR = 512
const MOODS = ['mixed', 'mixed', 'mixed', 'keeps the older', 'keeps all', 'drops all'] as const
const FATES = ['kept', 'dropped', 'torn'] as const

export function createSimulatedDisk(): SimulatedDisk {
  let safeNames = new Map<string, Inode>()
  const names = new Map<string, Inode>()
  let unsafeNames: { readonly operation: NameOperation; readonly inode: Inode }[] = []

  const inodeAt = (name: string): Inode => {
    const inode = names.get(name)
    if (inode === undefined) throw new Error(`nothing is called ${name}`)
    return inode
  }
  const inodeOf = (operation: NameOperation): Inode => {
    if (operation.type === 'create') return { safe: new FileBytes(), unsafe: [] }
    return inodeAt(operation.type === 'unlink' ? operation.name : operation.from)
  }

  return {
    apply(operation) {
      switch (operation.type) {
        case 'say':
          return
        case 'create':
        case 'link':
        case 'rename':
        case 'unlink': {
          const inode = inodeOf(operation)
          unsafeNames.push({ operation, inode })
          return changeName(names, operation, inode)
        }
        case 'write':
        case 'truncate':
          inodeAt(operation.name).unsafe.push(operation)
          return
        case 'sync': {
          const inode = inodeAt(operation.name)
          for (const each of inode.unsafe) applyWhole(inode.safe, each)
          inode.unsafe = []
          return
        }
        case 'sync-directory':
          safeNames = new Map(names)
          unsafeNames = []
      }
    },

    imageAfterPowerLoss(random) {
      const found = new Map(safeNames)
      const happened = unsafeNames.slice(0, random.int(unsafeNames.length + 1))
      for (const { operation, inode } of happened) changeName(found, operation, inode)
      const mood = random.pick(MOODS)
      return new Map([...found].map(([name, inode]) => [name, surviving(inode, mood, random)]))
    },
  }
}

function changeName(names: Map<string, Inode>, operation: NameOperation, inode: Inode): void {
  if (operation.type === 'unlink') names.delete(operation.name)
  else names.set(operation.name, inode)
  if (operation.type === 'rename') names.delete(operation.from)
}

function surviving({ safe, unsafe }: Inode, mood: (typeof MOODS)[number], random: SeededRandom): Buffer {
  const file = safe.copy()
  const older = {
    mixed: 0,
    'keeps the older': random.int(unsafe.length + 1),
    'keeps all': unsafe.length,
    'drops all': 0,
  }
  for (const [index, operation] of unsafe.entries()) {
    const fate = mood === 'mixed' ? random.pick(FATES) : index < older[mood] ? 'kept' : 'dropped'
    if (fate === 'kept') applyWhole(file, operation)
    else if (fate === 'torn') applyTorn(file, operation, random)
  }
  return file.bytes
}

function applyWhole(file: FileBytes, operation: ContentOperation): void {
  if (operation.type === 'write') file.write(operation.offset, operation.bytes)
  else file.truncate(operation.size)
}

function applyTorn(file: FileBytes, operation: ContentOperation, random: SeededRandom): void {
  if (operation.type === 'truncate') {
    if (random.int(2) === 0) file.truncate(operation.size)
    return
  }
  const { offset, bytes } = operation
  for (let from = 0; from < bytes.length;) {
    const untilSectorEnd = SECTOR - ((offset + from) % SECTOR)
    const piece = bytes.subarray(from, from + untilSectorEnd)
    if (random.int(2) === 0) file.write(offset + from, piece)
    from += piece.length
  }
}
