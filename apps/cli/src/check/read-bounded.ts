import { RuleBroken } from './check-case.ts'

/** Far more than any rule asks for. A server under test may be broken or hostile. */
export const MOST_ANSWER_BYTES = 16 * 1024 * 1024

/** The whole body as text. Rejects when it is longer than that; the signal of the request bounds its time. */
export async function readBounded(response: Response, mostBytes = MOST_ANSWER_BYTES): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: ReadableStream<Uint8Array> = response.body
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop cancels the body.
    if (bytes > mostBytes) throw new RuleBroken(`the answer is longer than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
