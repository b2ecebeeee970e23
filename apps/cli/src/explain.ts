import { toTerminalText } from './terminal-text.ts'

/** Writes the reason why a verb ended to stderr and returns the exit code. Throws unexpected errors. */
export function explain(error: unknown): number {
  if (error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number') {
    process.stderr.write(`polylogue: ${toTerminalText(error.message)}\n`)
    return error.exitCode
  }
  throw error
}
