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
/** Keys without a character, such as arrows, and what a terminal writes around a pasted text. */
// oxlint-disable-next-line no-control-regex -- terminals send them
const SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[^\u001b[O])/g
// oxlint-disable-next-line no-control-regex -- terminals send them
const BEGUN_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*|O)?$/
/** An arrow key begins with an Esc, and its rest can come a little later. */
const SEQUENCE_MS = 50
const CTRL_C = '\u0003'
const CTRL_Z = '\u001a'
const BACKSPACE = /[\b\u007f]/

export interface Keys {
  readonly text: string
  readonly isCancel: boolean
  /** The beginning of a sequence, or an Esc alone if nothing follows. */
  readonly rest: string
}

/** A busy process gets what was typed in one piece: text, sequences and Esc in any order. */
export function readKeys(piece: string): Keys {
  const whole = piece.replaceAll(SEQUENCE, '')
  const rest = BEGUN_SEQUENCE.exec(whole)?.[0] ?? ''
  const keys = whole.slice(0, whole.length - rest.length)
  return { text: keys.replaceAll(ESCAPE, ''), isCancel: keys.includes(ESCAPE), rest }
}

/**
 * Reads the keys while a turn runs, so that Esc cancels it and what is typed does not stand in the middle of the answer. Other
 * control sequences are dropped. Stop it before anything else reads the keys.
 */
export function watchKeys(input: NodeJS.ReadableStream, actions: KeyActions): Disposable {
  if (!(input instanceof ReadStream)) return { [Symbol.dispose]: () => undefined }
  const decoder = new TextDecoder()
  let typed = ''
  let rest = ''
  let escape: NodeJS.Timeout | undefined
  const take = (bytes: Buffer | string): void => {
    clearTimeout(escape)
    const piece = typeof bytes === 'string' ? bytes : decoder.decode(bytes, { stream: true })
    if (piece.includes(CTRL_C)) return actions.interrupt()
    if (piece === CTRL_Z) return suspend()
    const keys = readKeys(rest + piece)
    rest = keys.rest
    if (keys.text !== '') {
      typed = addKeys(typed, keys.text)
      actions.typed(typed)
    }
    if (keys.isCancel) return actions.cancel()
    if (rest !== '') escape = setTimeout(endSequence, SEQUENCE_MS)
  }
  const endSequence = (): void => {
    if (rest === ESCAPE) actions.cancel()
    rest = ''
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
