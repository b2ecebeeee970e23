/** What ended a verb, in one sentence on stderr. Returns the exit code; throws what nobody expected. */
export function explain(error: unknown): number {
  if (error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number') {
    process.stderr.write(`polylogue: ${error.message}\n`)
    return error.exitCode
  }
  throw error
}
