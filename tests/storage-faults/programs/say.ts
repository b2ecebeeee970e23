import { writeSync } from 'node:fs'

/** One line on stdout, at once: when this returns, whoever kills the process cannot take it back. */
export function say(line: string): void {
  writeSync(1, `${line}\n`)
}
