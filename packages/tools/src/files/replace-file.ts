// The only code that writes files for tools. It checks the grant first.
import { requireGrant, type Grant } from '@polylogue/engine'
import type { BigIntStats } from 'node:fs'
import { resolve } from 'node:path'
import type { AskedPath } from './asked-path.ts'
import { atSpot, type Spot } from './at-spot.ts'
import type { Confines } from './confines.ts'
import { FileProblem } from './file-problem.ts'
import { LARGEST_KEPT, readBefore, traceChange, type FileTrace } from './file-trace.ts'
import { makeDirectory, putInPlace } from './put-file.ts'
import { toCrLf } from './replace-text.ts'
import { decodeText, encodeText, toFileText } from './text-file.ts'

export interface Replacement {
  readonly tool: string
  readonly grant: Grant
  readonly asked: AskedPath
  readonly bytes: Uint8Array
  /** The bytes that the new ones are based on. If the file has changed since, nothing is written. */
  readonly madeFrom?: BigIntStats
  /** The text that the editor has at this spot, saved or not. `undefined`: the editor does not have it. */
  readonly shown: (spot: Spot) => Promise<string | undefined>
  /** Writes it in the editor, at the path without links. `false`: not possible, so it is written here. */
  readonly viaEditor: (path: string) => Promise<boolean>
}

/**
 * Replaces a file atomically: readers and crashes see the old or the new file, and other hard links keep the old bytes.
 * Creates missing directories. Keeps the mode, and the owner if permitted.
 */
export async function replaceFile(confines: Confines, replacement: Replacement): Promise<FileTrace> {
  const { tool, grant, asked, bytes, madeFrom, shown, viaEditor } = replacement
  requireGrant(grant, tool)
  requireSameFile(grant, asked)
  const place = async (spot: Spot): Promise<FileTrace> => {
    if (spot.kind === 'directory') throw new FileProblem('failed', `path: ${asked.shown} is a directory`)
    const old = spot.kind === 'file' ? spot.stats : undefined
    if (madeFrom && !(old && isSameVersion(old, madeFrom)))
      throw new FileProblem('failed', `path: ${asked.shown} was changed by somebody else meanwhile; read it again`)
    const before = spot.kind === 'file' ? await readBefore(spot) : undefined
    const inEditor = await shown(spot)
    if (await viaEditor(spot.path)) {
      const isNew = old === undefined && inEditor === undefined
      return traceChange(asked.absolute, { isNew, before: seenBefore(inEditor, before), after: bytes })
    }
    await putInPlace(spot, bytes, old)
    return traceChange(asked.absolute, { isNew: old === undefined, before, after: bytes })
  }
  return atSpot(confines, { ...asked, isForWriting: true, makeDirectory }, place)
}

/** What the file was for the user: the text of the editor, spelled like the file. `undefined`: it is too large to be kept. */
function seenBefore(shown: string | undefined, onDisk: Buffer | undefined): Buffer | undefined {
  if (shown === undefined) return onDisk
  const saved = onDisk && decodeText(onDisk)
  if (onDisk && (saved === undefined || saved.isDamaged)) return onDisk
  const inEditor = toFileText(shown)
  const text = saved?.usesCrLf === true ? toCrLf(inEditor.text) : inEditor.text
  const bytes = encodeText(text, saved ?? inEditor)
  return bytes.length > LARGEST_KEPT ? undefined : bytes
}

function requireSameFile({ call }: Grant, { absolute }: AskedPath): void {
  const { path } = call.input
  if (typeof path !== 'string' || resolve(call.cwd, path) !== absolute)
    throw new Error('the grant is for another file than the one to write')
}

function isSameVersion(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev && one.size === other.size && one.mtimeNs === other.mtimeNs
}
