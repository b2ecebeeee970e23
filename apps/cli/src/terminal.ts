import { ReadStream, WriteStream } from 'node:tty'
import { toTerminalOutput } from './terminal-text.ts'

/** A stream that a verb writes to. On a terminal, `write` spells out control characters, except for our colours. */
export interface Output {
  readonly isTerminal: boolean
  write(text: string): void
  dim(text: string): string
  bold(text: string): string
}

export interface Terminal {
  readonly stdout: Output
  readonly stderr: Output
  /** Whether a human can be asked: both ends of the dialogue are a terminal. */
  readonly canAsk: boolean
}

export function createTerminal(process: NodeJS.Process): Terminal {
  const stdout = createOutput(process.stdout, process.env)
  const stderr = createOutput(process.stderr, process.env)
  return { stdout, stderr, canAsk: process.stdin instanceof ReadStream && stderr.isTerminal }
}

function createOutput(stream: NodeJS.WritableStream, env: NodeJS.ProcessEnv): Output {
  const isTerminal = stream instanceof WriteStream
  const hasColor = isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const paint = (code: number, text: string) => (hasColor ? `\u001b[${code}m${text}\u001b[0m` : text)
  return {
    isTerminal,
    write: (text) => void stream.write(isTerminal ? toTerminalOutput(text) : text),
    dim: (text) => paint(2, text),
    bold: (text) => paint(1, text),
  }
}
