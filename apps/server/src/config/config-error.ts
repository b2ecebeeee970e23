import { toTerminalLine } from '../to-terminal-line.ts'

/** The configuration cannot be used. `message` is one line: the file, the field, and what is wrong with it. */
export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(toTerminalLine(message), options)
    this.name = 'ConfigError'
  }
}
