// Files as the editor of the session has them. It is asked only after the walk has found that a path may be touched, and
// about what lies below the working directory. The editor goes by names: whoever exchanges a directory for a link in that
// moment leads it elsewhere, with the rights of the person who uses it.
import type { EditorOf, InspectedFrom, SessionId, Workspace } from '@polylogue/engine'
import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import type { Spot } from './at-spot.ts'
import { textAt } from './define-file-tool.ts'
import { FileProblem } from './file-problem.ts'
import { toFileText, type FileText } from './text-file.ts'

const LARGEST_SHOWN = 256 * 1024

export interface EditorFiles {
  /** `undefined`: the disk says what is in the file. `path` is without links, as the walk found it. */
  read(path: string, mostBytes: number): Promise<string | undefined>
  /** Whether the editor has written it. `false`: it could not be asked. Throws a `FileProblem` when it refuses. */
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
      // Somebody has said no there: writing it here would go behind their back.
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

/** What a person sees of a file: the text in the editor, saved or not, or else the text on the disk. */
export async function shownText(spot: Spot, editor: EditorFiles | undefined): Promise<FileText | undefined> {
  const onDisk = await textAt(spot)
  const isText = spot.kind === 'absent' || (onDisk !== undefined && !onDisk.isDamaged)
  if (editor === undefined || !isText) return onDisk
  const read =
    spot.kind === 'absent' ? readUnsaved : (files: EditorFiles, path: string, most: number) => files.read(path, most)
  const inEditor = await read(editor, spot.path, LARGEST_SHOWN)
  return inEditor === undefined ? onDisk : toFileText(inEditor)
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

/** An editor that fails is no reason to fail, unless the call itself is over: then nothing more may happen. */
async function unlessFailed<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  try {
    return await work
  } catch {
    // Why it failed is logged where it was asked.
    signal.throwIfAborted()
    return undefined
  }
}
