// Reads the paths in an index file of Git. Git itself compares every path there with a file of that name, also if it is
// absolute or begins with `..`, so a repository could name any file of the machine.
// Format: https://git-scm.com/docs/index-format (versions 2 to 4).

/** The bytes of an entry before its object name. */
const STATS = 40
const MODE = 24
const HEADER = 12
const EXTENDED = 0x4000
const FOLDER = 0o040000
const FOREIGN = /^\/|(?:^|\/)\.\.?(?:\/|$)/

/** Whether a path leads out of the working directory. Also `true` if the file cannot be read to its last entry. */
export function hasForeignPath(index: Buffer, objectNameBytes: number): boolean {
  if (index.length < HEADER || index.toString('latin1', 0, 4) !== 'DIRC') return true
  const version = index.readUInt32BE(4)
  const count = index.readUInt32BE(8)
  if (version < 2 || version > 4) return true
  let previous = ''
  let at = HEADER
  for (let entry = 0; entry < count; entry += 1) {
    const read = readEntry(index, at, { version, objectNameBytes, previous })
    // A folder stands for paths of a tree, which would have to be read too.
    if (read === undefined || read.isFolder || FOREIGN.test(read.path)) return true
    previous = read.path
    at = read.end
  }
  return false
}

interface EntryFormat {
  readonly version: number
  readonly objectNameBytes: number
  readonly previous: string
}

interface Entry {
  readonly path: string
  readonly isFolder: boolean
  readonly end: number
}

function readEntry(index: Buffer, start: number, { version, objectNameBytes, previous }: EntryFormat) {
  const flagsAt = start + STATS + objectNameBytes
  if (flagsAt + 2 > index.length) return undefined
  const isExtended = version >= 3 && (index.readUInt16BE(flagsAt) & EXTENDED) !== 0
  const nameAt = flagsAt + (isExtended ? 4 : 2)
  const isFolder = (index.readUInt32BE(start + MODE) & 0o170000) === FOLDER
  const prefix = version === 4 ? readNumber(index, nameAt) : { value: 0, end: nameAt }
  const nameEnd = index.indexOf(0, prefix.end)
  if (nameEnd === -1) return undefined
  const suffix = index.toString('latin1', prefix.end, nameEnd)
  if (version < 4) {
    const end = start + ((nameEnd - start + 8) & ~7)
    return { path: suffix, isFolder, end } satisfies Entry
  }
  if (prefix.value > previous.length) return undefined
  const path = previous.slice(0, previous.length - prefix.value) + suffix
  return { path, isFolder, end: nameEnd + 1 } satisfies Entry
}

/** A number of variable length: seven bits in each byte, the highest ones first, and one is added for each further byte. */
function readNumber(index: Buffer, start: number): { readonly value: number; readonly end: number } {
  let at = start
  let byte = index[at] ?? 0
  let value = byte & 127
  while ((byte & 128) !== 0 && at < start + 5) {
    byte = index[++at] ?? 0
    value = (value + 1) * 128 + (byte & 127)
  }
  return { value, end: at + 1 }
}
