import { setImmediate, setTimeout } from 'node:timers/promises'
import { ReadStream } from 'node:tty'

/** Whoever still types is not answering: the question comes after a pause of this length. */
const PAUSE_MS = 150

/**
 * Forgets what was typed before a question was asked, so that it cannot answer the question. Returns whether Ctrl-C was
 * among it.
 */
export async function forgetTyped(input: NodeJS.ReadableStream): Promise<boolean> {
  if (!(input instanceof ReadStream)) return false
  let isCancelled = false
  let isTyping = false
  const take = (bytes: Buffer | string): void => {
    isTyping = true
    if (String(bytes).includes('\u0003')) isCancelled = true
  }
  // In its usual mode a terminal keeps an unfinished line to itself.
  input.setRawMode(true)
  input.on('data', take).resume()
  do {
    isTyping = false
    await setTimeout(PAUSE_MS)
    // A late timer fires before waiting bytes are read. An immediate runs after them.
    await setImmediate()
  } while (isTyping && !isCancelled)
  input.off('data', take).pause()
  input.setRawMode(false)
  return isCancelled
}
