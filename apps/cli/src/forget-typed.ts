import { ReadStream } from 'node:tty'

/** How long the terminal may take to hand over what was typed. */
const WAIT_MS = 50

/**
 * Forgets what was typed before a question was asked, so that it cannot answer the question. Returns whether Ctrl-C was
 * among it.
 */
export async function forgetTyped(input: NodeJS.ReadableStream): Promise<boolean> {
  if (!(input instanceof ReadStream)) return false
  let isCancelled = false
  const take = (bytes: Buffer | string): void => {
    if (String(bytes).includes('\u0003')) isCancelled = true
  }
  // In its usual mode a terminal keeps an unfinished line to itself.
  input.setRawMode(true)
  input.on('data', take).resume()
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  input.off('data', take).pause()
  input.setRawMode(false)
  return isCancelled
}
