import { createTextCleaner } from './harmless-text.ts'

const EVERY_MS = 50
/** The size limit of one piece. Fast output is sampled. */
const MOST_PER_PIECE = 16 * 1024

export interface LiveText {
  add(chunk: Uint8Array): void
  finish(): void
}

/** Shows output while the command runs: the first piece at once, later output at most every 50 ms. */
export function createLiveText(show: (text: string) => void): LiveText {
  const decoder = new TextDecoder()
  const cleaner = createTextCleaner()
  let waiting = ''
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    timer = undefined
    if (waiting === '') return
    const text = waiting
    waiting = ''
    show(
      text.length <= MOST_PER_PIECE ? text : `…\n${text.slice(text.indexOf('\n', text.length - MOST_PER_PIECE) + 1)}`,
    )
    timer = setTimeout(flush, EVERY_MS)
  }

  return {
    add(chunk) {
      waiting += cleaner.clean(decoder.decode(chunk, { stream: true }))
      // Drop text that will not be shown.
      if (waiting.length > 4 * MOST_PER_PIECE) waiting = waiting.slice(-2 * MOST_PER_PIECE)
      if (!timer) flush()
    },
    finish() {
      clearTimeout(timer)
      waiting += cleaner.clean(decoder.decode()) + cleaner.finish()
      flush()
      clearTimeout(timer)
    },
  }
}
