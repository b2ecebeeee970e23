import { toTerminalLine } from './to-terminal-line.ts'

/** sysexits.h: something is configured in a way we refuse to run with. */
export const EXIT_CONFIG = 78
export const EXIT_FAILURE = 1

/** The server cannot start. `message` is the one line to show at the terminal: what is wrong and what to do. */
export class ServeError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(toTerminalLine(message), options)
    this.name = 'ServeError'
    this.exitCode = exitCode
  }
}
