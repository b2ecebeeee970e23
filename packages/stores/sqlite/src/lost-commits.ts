/**
 * When SQLite opens a write-ahead log after a crash, it reads the commits up to the first frame with a wrong checksum
 * and silently drops the rest, because it takes that frame for an interrupted write. So one flipped bit in the middle
 * makes acknowledged commits vanish. We check two sources first:
 *
 * - The log itself. Every commit is synced before the next one writes (`synchronous=FULL`), so a crash can only spoil
 *   frames of the last one. If whole commits follow the first wrong frame, that frame was on disk once.
 * - The index of the log (`-shm`), which names the last frame that was committed. It is written after the sync, so
 *   that frame was on disk. After a kill it is exact; after a power loss it may be older or nonsense, which its own
 *   checksum shows.
 *
 * The formats: https://sqlite.org/fileformat2.html#walformat and https://sqlite.org/walformat.html. Both files are only
 * read. Not to be called while this process has the database open: see `private-file.ts`.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** Its last bit says that checksums are over big-endian words. */
const MAGIC = 0x377f0682
const INDEX_HEADER_BYTES = 48
const SMALLEST_PAGE = 512
const FRAMES_A_READ = 256

/** Whether commits that were acknowledged can no longer be read from the log of this database. */
export function hasLostCommits(file: string): boolean {
  // Checked twice, because another process may have been in the middle of a commit.
  return isShortOfCommits(file) && isShortOfCommits(file)
}

function isShortOfCommits(file: string): boolean {
  // The index first: what it names must then be in the log, even if another process goes on writing.
  const index = withFile(`${file}-shm`, readIndex)
  const log = withFile(`${file}-wal`, readLog) ?? 'empty'
  if (log === 'damaged') return true
  if (log === 'empty') return index !== undefined && index.lastFrame > index.checkpointed
  const isOfThisLog = index?.salt.equals(log.salt) === true
  return log.hasLaterCommits || (isOfThisLog && index.lastFrame > log.committed)
}

interface Log {
  readonly salt: Buffer
  /** The frame up to which SQLite reads. */
  readonly committed: number
  readonly hasLaterCommits: boolean
}

/** `damaged`: there are frames, but SQLite takes the log for empty, because its header is wrong. */
function readLog(descriptor: number): Log | 'empty' | 'damaged' {
  const header = readAt(descriptor, 0, HEADER_BYTES)
  const isBigEndian = header.length === HEADER_BYTES && (header.readUInt32BE(0) & 1) === 1
  const sum = addChecksum([0, 0], header.subarray(0, 24), isBigEndian)
  const isHeader =
    header.length === HEADER_BYTES &&
    (header.readUInt32BE(0) & ~1) >>> 0 === MAGIC &&
    isChecksumAt(header, 24, sum) &&
    header.readUInt32BE(8) >= SMALLEST_PAGE
  // The header is synced before the first frame is written, so a crash can spoil one or the other.
  if (!isHeader) return fstatSync(descriptor).size > HEADER_BYTES + FRAME_HEADER_BYTES ? 'damaged' : 'empty'

  const salt = header.subarray(16, 24)
  let isSound = true
  let committed = 0
  let commitsAfterDamage = 0
  let hasLaterCommits = false
  let number = 0
  for (const frame of framesOf(descriptor, FRAME_HEADER_BYTES + header.readUInt32BE(8))) {
    number += 1
    const isOfThisLog = frame.subarray(8, 16).equals(salt)
    if (isSound) {
      addChecksum(sum, frame.subarray(0, 8), isBigEndian)
      addChecksum(sum, frame.subarray(FRAME_HEADER_BYTES), isBigEndian)
      isSound = isOfThisLog && isChecksumAt(frame, 16, sum)
    }
    const isCommit = frame.readUInt32BE(4) !== 0
    if (isSound) {
      if (isCommit) committed = number
    } else if (isOfThisLog) {
      hasLaterCommits ||= commitsAfterDamage > 0
      if (isCommit) commitsAfterDamage += 1
    }
  }
  return { salt, committed, hasLaterCommits }
}

/** A log may be larger than memory when a reader kept it from being checkpointed. */
function* framesOf(descriptor: number, frameBytes: number): Iterable<Buffer> {
  for (let position = HEADER_BYTES; ; position += FRAMES_A_READ * frameBytes) {
    const bytes = readAt(descriptor, position, FRAMES_A_READ * frameBytes)
    for (let offset = 0; offset + frameBytes <= bytes.length; offset += frameBytes) {
      yield bytes.subarray(offset, offset + frameBytes)
    }
    if (bytes.length < FRAMES_A_READ * frameBytes) return
  }
}

interface LogIndex {
  readonly salt: Buffer
  readonly lastFrame: number
  /** Frames that are in the database file already. */
  readonly checkpointed: number
}

/** In the byte order of the machine that wrote it. The checksum of a foreign index is wrong, so it is ignored. */
function readIndex(descriptor: number): LogIndex | undefined {
  const bytes = readAt(descriptor, 0, 2 * INDEX_HEADER_BYTES + 4)
  if (bytes.length < 2 * INDEX_HEADER_BYTES + 4) return undefined
  const header = bytes.subarray(0, INDEX_HEADER_BYTES)
  if (!header.equals(bytes.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES))) return undefined
  const isInitialized = header[12] === 1
  const sum = addChecksum([0, 0], header.subarray(0, 40), false)
  if (!isInitialized || sum[0] !== header.readUInt32LE(40) || sum[1] !== header.readUInt32LE(44)) return undefined
  return {
    salt: header.subarray(32, 40),
    lastFrame: header.readUInt32LE(16),
    checkpointed: bytes.readUInt32LE(2 * INDEX_HEADER_BYTES),
  }
}

type Checksum = [number, number]

/** Changes and returns `sum`. */
function addChecksum(sum: Checksum, bytes: Buffer, isBigEndian: boolean): Checksum {
  let [first, second] = sum
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    first = (first + words.getUint32(at, !isBigEndian) + second) >>> 0
    second = (second + words.getUint32(at + 4, !isBigEndian) + first) >>> 0
  }
  sum[0] = first
  sum[1] = second
  return sum
}

const isChecksumAt = (bytes: Buffer, offset: number, sum: Checksum): boolean =>
  bytes.readUInt32BE(offset) === sum[0] && bytes.readUInt32BE(offset + 4) === sum[1]

/** `undefined` when there is no such file. */
function withFile<T>(path: string, read: (descriptor: number) => T): T | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  try {
    return read(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Fewer bytes where the file ends. */
function readAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let filled = 0
  for (let read = -1; read !== 0 && filled < length; filled += read) {
    read = readSync(descriptor, bytes, filled, length - filled, position + filled)
  }
  return bytes.subarray(0, filled)
}
