/** Nobody listens: there is no socket, its owner died, or it is just going. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'])

export function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABSENT.has(String(error.code))
}
