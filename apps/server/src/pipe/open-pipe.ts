import type { Door } from '../doors/door.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'

/** The bytes of a pipe, seen from the process that opened it. */
export interface PipeEnd {
  readonly input: WritableStream<Uint8Array>
  readonly output: ReadableStream<Uint8Array>
}

/** How many bytes may wait between the two ends before the door notices that its client is slow. */
const BETWEEN_BYTES = 64 * 1024

/** A pipe to a door of this very process. Rejects with a `ServeError` when the door refuses. */
export async function openPipe(doors: readonly Door[], name: string, handshake: string): Promise<PipeEnd> {
  const pipe = doors.find((door) => door.name === name)?.pipe
  if (pipe === undefined) throw new Error(`the door ${name} has no pipe`)
  const bySize = new ByteLengthQueuingStrategy({ highWaterMark: BETWEEN_BYTES })
  const requests = new TransformStream<Uint8Array, Uint8Array>({}, bySize)
  const answers = new TransformStream<Uint8Array, Uint8Array>({}, bySize)
  try {
    await pipe.open(handshake, () => ({ input: requests.readable, output: answers.writable }))
  } catch (error) {
    if (error instanceof HttpRefusal) throw new ServeError(error.message, EXIT_FAILURE, { cause: error })
    throw error
  }
  return { input: requests.writable, output: answers.readable }
}
