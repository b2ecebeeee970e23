// The only code that writes files for tools. It checks the grant first.
import { requireGrant, type Grant } from '@polylogue/engine'
import type { BigIntStats } from 'node:fs'
import { resolve } from 'node:path'
import type { AskedPath } from './asked-path.ts'
import { atSpot, type Spot } from './at-spot.ts'
import type { Confines } from './confines.ts'
import { FileProblem } from './file-problem.ts'
import { readBefore, traceChange, type FileTrace } from './file-trace.ts'
import { makeDirectory, putInPlace } from './put-file.ts'

export interface Replacement {
  readonly tool: string
  readonly grant: Grant
  readonly asked: AskedPath
  readonly bytes: Uint8Array
  /** The bytes that the new ones are based on. If the file has changed since, nothing is written. */
  readonly madeFrom?: BigIntStats
  /** Writes it in the editor, at the path without links. `false`: not possible, so it is written here. */
  readonly viaEditor: (path: string) => Promise<boolean>
}

/**
 * Replaces a file atomically: readers and crashes see the old or the new file, and other hard links keep the old bytes.
 * Creates missing directories. Keeps the mode, and the owner if permitted.
 */
export async function replaceFile(confines: Confines, replacement: Replacement): Promise<FileTrace> {
  const { tool, grant, asked, bytes, madeFrom, viaEditor } = replacement
  requireGrant(grant, tool)
  requireSameFile(grant, asked)
  const place = async (spot: Spot): Promise<FileTrace> => {
    if (spot.kind === 'directory') throw new FileProblem('failed', `path: ${asked.shown} is a directory`)
    const old = spot.kind === 'file' ? spot.stats : undefined
    if (madeFrom && !(old && isSameVersion(old, madeFrom)))
      throw new FileProblem('failed', `path: ${asked.shown} was changed by somebody else meanwhile; read it again`)
    const before = spot.kind === 'file' ? await readBefore(spot) : undefined
    if (!(await viaEditor(spot.path))) await putInPlace(spot, bytes, old)
    return traceChange(asked.absolute, { isNew: old === undefined, before, after: bytes })
  }
  return atSpot(confines, { ...asked, isForWriting: true, makeDirectory }, place)
}

function requireSameFile({ call }: Grant, { absolute }: AskedPath): void {
  const { path } = call.input
  if (typeof path !== 'string' || resolve(call.cwd, path) !== absolute)
    throw new Error('the grant is for another file than the one to write')
}

function isSameVersion(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev && one.size === other.size && one.mtimeNs === other.mtimeNs
}
