import type { IncomingMessage } from 'node:http'
import type { BodyOutcome } from '../deps.ts'

/** Enough for requests of a test; a server bounds their shape too. */
export async function readPlainBody(incoming: IncomingMessage, bytes: number): Promise<BodyOutcome> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bytes) return { type: 'refused', status: 413, problem: `body: larger than ${bytes} bytes` }
    chunks.push(chunk)
  }
  try {
    return { type: 'body', value: JSON.parse(Buffer.concat(chunks).toString('utf8')) }
  } catch (error) {
    if (error instanceof SyntaxError) return { type: 'refused', status: 422, problem: 'body: not valid JSON' }
    throw error
  }
}
