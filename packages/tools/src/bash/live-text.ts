import { createTextCleaner } from './harmless-text.ts'

const EVERY_MS = 50
/** Of one piece: a command that prints fast is shown by samples. */
const MOST_PER_PIECE = 16 * 1024

export interface LiveText {
  add(chunk: Uint8Array): void
  finish(): void
}

/** Shows output while it comes: the first at once, then what came in at most every 50 ms. */
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
      // What will not be shown is not kept either.
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
