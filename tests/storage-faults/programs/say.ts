import { writeSync } from 'node:fs'

/** Writes one line to stdout synchronously, so that a kill after it returns cannot lose the line. */
export function say(line: string): void {
  writeSync(1, `${line}\n`)
}
