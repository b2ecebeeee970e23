import { toTerminalLine } from '../to-terminal-line.ts'

/** The configuration is invalid. `message` is one line: the file, the field and the problem. */
export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(toTerminalLine(message), options)
    this.name = 'ConfigError'
  }
}
