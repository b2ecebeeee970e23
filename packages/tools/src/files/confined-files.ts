import type { EditorOf, SessionId, Workspace } from '@polylogue/engine'
import { basename, extname, join } from 'node:path'
import { askFor } from './asked-path.ts'
import { atSpot } from './at-spot.ts'
import type { ProtectedSet } from '../protected/protected-set.ts'
import { createConfiner } from './confines.ts'
import { editorFilesOf } from './editor-files.ts'
import { FileProblem } from './file-problem.ts'
import { makeDirectory, putInPlace, removeFile } from './put-file.ts'
import { openConfined, type OpenFile } from './read-regular-file.ts'
import { restoreFile, type Restoration, type Restored } from './restore-file.ts'

/** The files of a workspace as the file tools see them, for other code that reads or stores files that a client named. */
export interface ConfinedFiles {
  /** The file is open as long as `use` runs. Rejects with a sentence if the path leads outside or is not a file. */
  open<Result>(workspace: Workspace, path: string, use: (file: OpenFile) => Promise<Result>): Promise<Result>
  /** Stores an uploaded file in this folder without replacing anything. Returns its path in the workspace. */
  keep(workspace: Workspace, folder: string, file: SentFile): Promise<string>
  /**
   * Puts a file back to what it was, if it is still as `from` says. Otherwise it is left as it is. A file that the editor of
   * the session has open is restored there.
   */
  restore(place: RestoredPlace, path: string, wish: Restoration): Promise<Restored>
  /** Deletes a file that `keep` stored. A path that is not a file is ignored. */
  remove(workspace: Workspace, path: string): Promise<void>
}

export interface RestoredPlace {
  readonly workspace: Workspace
  readonly sessionId: SessionId
}

export interface SentFile {
  /** The client's name for it. Only the last path part is used. */
  readonly name: string
  readonly bytes: Uint8Array
}

const LONGEST_NAME = 120
const MOST_OF_ONE_NAME = 1_000

export interface ConfinedFilesOptions {
  readonly protectedSet: ProtectedSet
  readonly editorOf?: EditorOf
}

export function createConfinedFiles({ protectedSet, editorOf }: ConfinedFilesOptions): ConfinedFiles {
  const confiner = createConfiner(protectedSet)
  return {
    open: async (workspace, path, use) => openConfined(await confiner.confine(workspace), askFor(workspace, path), use),
    async keep(workspace, folder, { name, bytes }) {
      const confines = await confiner.confine(workspace)
      for (const candidate of namesLike(plainName(name))) {
        const path = join(folder, candidate)
        const asked = { ...askFor(workspace, path), isForWriting: true, makeDirectory }
        const isKept = await atSpot(confines, asked, async (spot) => {
          if (spot.kind !== 'absent') return false
          await putInPlace(spot, bytes, undefined)
          return true
        })
        if (isKept) return path
      }
      throw new FileProblem('failed', `there are too many files called ${plainName(name)}`)
    },
    async restore({ workspace, sessionId }, path, wish) {
      const confines = await confiner.confine(workspace)
      const asked = { ...askFor(workspace, path), isForWriting: true, ...(wish.to && { makeDirectory }) }
      const editor = editorFilesOf(editorOf, { sessionId, workspace, signal: new AbortController().signal })
      return atSpot(confines, asked, (spot) => restoreFile(spot, wish, editor))
    },
    async remove(workspace, path) {
      const confines = await confiner.confine(workspace)
      const asked = { ...askFor(workspace, path), isForWriting: true }
      await atSpot(confines, asked, async (spot) => {
        if (spot.kind === 'file') await removeFile(spot.directory, spot.name)
      })
    },
  }
}

/** Turns any path into a valid file name. */
function plainName(name: string): string {
  const last = basename(name.toWellFormed().replaceAll('\\', '/')).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
  const bare = last.replace(/^\.+/, '').trim()
  if (bare === '') return 'file'
  const ending = extname(bare).slice(0, 20)
  return bare.length <= LONGEST_NAME ? bare : `${bare.slice(0, LONGEST_NAME - ending.length).toWellFormed()}${ending}`
}

function* namesLike(name: string): Generator<string> {
  yield name
  const ending = extname(name)
  const stem = name.slice(0, name.length - ending.length)
  for (let number = 2; number <= MOST_OF_ONE_NAME; number++) yield `${stem}-${number}${ending}`
}
