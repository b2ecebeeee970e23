/**
 * `outside`: not below a root, or hidden from tools. `guarded`: protected, and the call was not allowed to touch it.
 * `not-ordinary`: a device, a pipe, a socket, a second hard link, a circular link. Tools may touch none of these.
 * `failed`: anything else, such as a file that does not exist.
 */
export type FileProblemKind = 'outside' | 'guarded' | 'not-ordinary' | 'failed'

/** A sentence for the model that names the parameter and the path as they were given. */
export class FileProblem extends Error {
  readonly kind: FileProblemKind

  constructor(kind: FileProblemKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FileProblem'
    this.kind = kind
  }
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'leads through a file as if it were a directory',
  EISDIR: 'is a directory',
  EACCES: 'may not be accessed: permission denied',
  EPERM: 'may not be accessed: permission denied',
  ENAMETOOLONG: 'has a name that is too long for the file system',
  ELOOP: 'changed while it was being opened',
  ENXIO: 'is not an ordinary file',
  ENOSPC: 'was not written: the disk is full',
  EDQUOT: 'was not written: the disk quota is used up',
  EROFS: 'was not written: the file system is read-only',
  EMFILE: 'was not opened: the server has too many open files',
  ENFILE: 'was not opened: the machine has too many open files',
}

/** Replaces the system's messages, which reveal paths. Other errors stay as they are. */
export function toFileProblem(error: unknown, shown: string): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  return new FileProblem('failed', `path: ${shown} ${SENTENCES[code] ?? `cannot be used: ${code}`}`, { cause: error })
}

/** The system's code (`ENOENT`) of an error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
