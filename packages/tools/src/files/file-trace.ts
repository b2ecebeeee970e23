import type { FileChange, NewBlob } from '@polylogue/engine'
import { hash } from 'node:crypto'
import type { Spot } from './at-spot.ts'
import { openFileIn, readBytes } from './read-regular-file.ts'

/** What is recorded of a change, so that it can be undone. */
export interface FileTrace {
  readonly change: FileChange
  /** What the file was before, if it is kept. */
  readonly blobs: readonly NewBlob[]
}

/** Larger files are changed without a copy, and cannot be undone. */
export const LARGEST_KEPT = 1024 * 1024

/** Stands for the digest of a file that does not exist. */
export const ABSENT = 'absent'

export const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')

/** `undefined`: it is too large to be kept. */
export async function readBefore(spot: Extract<Spot, { kind: 'file' }>): Promise<Buffer | undefined> {
  if (spot.stats.size > BigInt(LARGEST_KEPT)) return undefined
  const { bytes, size } = await openFileIn(spot.directory, spot.name, (file) => readBytes(file, LARGEST_KEPT))
  return bytes.length === size ? bytes : undefined
}

export function traceChange(
  path: string,
  {
    isNew,
    before,
    after,
  }: { readonly isNew: boolean; readonly before: Buffer | undefined; readonly after: Uint8Array },
): FileTrace {
  const kept = before && { hash: digestOf(before), mediaType: 'application/octet-stream', bytes: before }
  return {
    change: {
      path,
      change: isNew ? 'created' : 'modified',
      ...(kept && { before: kept.hash }),
      after: digestOf(after),
    },
    blobs: kept ? [kept] : [],
  }
}
