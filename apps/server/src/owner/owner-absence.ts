/** Error codes when nobody listens: no socket, or its owner died or is stopping. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'])

export function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABSENT.has(String(error.code))
}
