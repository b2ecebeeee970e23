// Files as the editor of the session has them. It is asked only after the walk has found that a path may be touched, and
// about what lies below the working directory. The editor goes by names: whoever exchanges a directory for a link in that
// moment leads it elsewhere, with the rights of the person who uses it.
import type { EditorOf, SessionId, Workspace } from '@polylogue/engine'
import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'

export interface EditorFiles {
  /** `undefined`: the disk says what is in the file. `path` is without links, as the walk found it. */
  read(path: string, mostBytes: number): Promise<string | undefined>
  /** Whether the editor has written it. */
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
      const isWritten = writer.write(named, text, signal).then(() => true)
      return (await unlessFailed(isWritten, signal)) ?? false
    },
  }
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
