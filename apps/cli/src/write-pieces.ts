import { once } from 'node:events'

/** Writes a text that may be too long for one string, as fast as its reader reads. */
export async function writePieces(
  output: NodeJS.WritableStream,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  for await (const piece of pieces) if (!output.write(piece)) await once(output, 'drain')
}
