import { ReadStream } from 'node:tty'

export interface KeyActions {
  /** Ctrl-C, each time. */
  interrupt(): void
  /** Esc. */
  readonly cancel: () => void
  /** Text for the next prompt: all that was typed so far. */
  typed(text: string): void
}

const ESCAPE = '\u001b'
/** An arrow key begins with an Esc, and its rest can come a little later. */
const SEQUENCE_MS = 50
const CTRL_C = '\u0003'
const CTRL_Z = '\u001a'
const BACKSPACE = /[\b\u007f]/

/**
 * Reads the keys while a turn runs, so that Esc cancels it and what is typed does not stand in the middle of the answer. Other
 * control sequences are dropped. Stop it before anything else reads the keys.
 */
export function watchKeys(input: NodeJS.ReadableStream, actions: KeyActions): Disposable {
  if (!(input instanceof ReadStream)) return { [Symbol.dispose]: () => undefined }
  let typed = ''
  let escape: NodeJS.Timeout | undefined
  const take = (bytes: Buffer | string): void => {
    const isSequence = escape !== undefined
    clearTimeout(escape)
    escape = undefined
    const keys = String(bytes)
    if (keys.includes(CTRL_C)) return actions.interrupt()
    if (isSequence) return
    if (keys === ESCAPE) {
      escape = setTimeout(actions.cancel, SEQUENCE_MS)
      return
    }
    if (keys === CTRL_Z) return suspend()
    if (keys.includes(ESCAPE)) return
    typed = addKeys(typed, keys)
    actions.typed(typed)
  }
  const setRaw = (): void => void input.setRawMode(true)
  // In raw mode a terminal does not do it.
  const suspend = (): void => {
    input.setRawMode(false)
    process.once('SIGCONT', setRaw)
    process.kill(process.pid, 'SIGTSTP')
  }
  setRaw()
  input.on('data', take).resume()
  return {
    [Symbol.dispose]() {
      clearTimeout(escape)
      process.off('SIGCONT', setRaw)
      input.off('data', take).pause()
      input.setRawMode(false)
    },
  }
}

/** The line after these keys. */
export function addKeys(line: string, keys: string): string {
  let typed = line
  for (const key of keys) {
    if (BACKSPACE.test(key)) typed = Array.from(typed).slice(0, -1).join('')
    // An Enter stays, and ends the line at the prompt.
    else if (key >= ' ' || key === '\r' || key === '\n') typed += key
  }
  return typed
}
