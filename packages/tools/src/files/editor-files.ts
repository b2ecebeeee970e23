// Files as the session's editor has them. The editor is asked only about paths below the working directory that the walk
// has allowed. It opens files by name, so a process that swaps a directory for a link at that moment leads it elsewhere,
// with the rights of the editor's user.
import type { EditorOf, InspectedFrom, SessionId, Workspace } from '@polylogue/engine'
import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import type { Spot } from './at-spot.ts'
import { textAt } from './define-file-tool.ts'
import { FileProblem } from './file-problem.ts'
import { toFileText, type FileText } from './text-file.ts'

const LARGEST_SHOWN = 256 * 1024

export interface EditorFiles {
  /** `undefined`: read the file from the disk. `path` is without links, as the walk found it. */
  read(path: string, mostBytes: number): Promise<string | undefined>
  /** Whether the editor has written it. `false`: the editor cannot be asked. Throws a `FileProblem` if it refuses. */
  write(path: string, text: string): Promise<boolean>
}

export interface EditorCall {
  readonly sessionId: SessionId
  readonly workspace: Workspace
  readonly signal: AbortSignal
}

export function editorFilesOf(editorOf: EditorOf | undefined, call: EditorCall): EditorFiles {
  const { reader, writer } = editorOf?.(call.sessionId) ?? {}
  const { workspace, signal } = call
  return {
    async read(path, mostBytes) {
      const named = reader && (await nameInEditor(path, workspace))
      if (reader === undefined || named === undefined) return undefined
      const text = await unlessFailed(reader.read(named, signal), signal)
      return text === undefined || Buffer.byteLength(text) > mostBytes ? undefined : text
    },
    async write(path, text) {
      const named = writer && (await nameInEditor(path, workspace))
      if (writer === undefined || named === undefined) return false
      const answer = await unlessFailed(writer.write(named, text, signal), signal)
      // The user refused in the editor, so do not write to the disk instead.
      if (answer === 'refused') throw new FileProblem('failed', 'path: the editor refused to write this file')
      return answer === 'written'
    },
  }
}

/** For the inspection of a call. Without a session there is no editor. */
export const editorFilesFor = (
  editorOf: EditorOf | undefined,
  workspace: Workspace,
  from: InspectedFrom | undefined,
): EditorFiles | undefined => from && editorFilesOf(editorOf, { ...from, workspace })

/** The text that the user sees: from the editor, saved or not, or from the disk. */
export async function shownText(spot: Spot, editor: EditorFiles | undefined): Promise<FileText | undefined> {
  const onDisk = await textAt(spot)
  const isText = spot.kind === 'absent' || (onDisk !== undefined && !onDisk.isDamaged)
  if (editor === undefined || !isText) return onDisk
  const inEditor = await readShown(spot, editor, LARGEST_SHOWN)
  return inEditor === undefined ? onDisk : toFileText(inEditor)
}

/** The text that the editor has, saved or not. `undefined`: it does not have it. */
export function readShown(spot: Spot, editor: EditorFiles, mostBytes: number): Promise<string | undefined> {
  return spot.kind === 'absent' ? readUnsaved(editor, spot.path, mostBytes) : editor.read(spot.path, mostBytes)
}

/**
 * The text of a file that is not on the disk. Some editors answer with an empty text for a file that does not exist, so an
 * empty one counts as missing.
 */
export async function readUnsaved(editor: EditorFiles, path: string, mostBytes: number): Promise<string | undefined> {
  return (await editor.read(path, mostBytes)) || undefined
}

/** The editor knows the file by the name of the directory that it opened, which may be a link. */
async function nameInEditor(path: string, { cwd }: Workspace): Promise<string | undefined> {
  const way = relative(await realpath(cwd), path)
  return way === '' || way === '..' || way.startsWith('../') || isAbsolute(way) ? undefined : join(cwd, way)
}

/** Ignore errors of the editor, unless the call was aborted. */
async function unlessFailed<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  try {
    return await work
  } catch {
    // The caller logs the reason.
    signal.throwIfAborted()
    return undefined
  }
}
