import { once } from 'node:events'
import { WriteStream } from 'node:tty'
import { toTerminalOutput } from './terminal-text.ts'

/** Writes a text that may be too long for one string, as fast as its reader reads. */
export async function writePieces(
  output: NodeJS.WritableStream,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const isTerminal = output instanceof WriteStream
  for await (const piece of pieces) {
    if (!output.write(isTerminal ? toTerminalOutput(piece) : piece)) await once(output, 'drain')
  }
}
