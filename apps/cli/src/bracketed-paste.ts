// Bracketed paste: the terminal marks the beginning and the end of a paste, so a line break inside of it is no Enter.
import type { Key } from 'node:readline'

const BEGIN = '\u001b[?2004h'
const END = '\u001b[?2004l'

export interface PasteWatch {
  /** Whether the keys that arrive now belong to a paste. */
  readonly isPasting: boolean
  /** The user has dropped what was pasted so far. */
  forget(): void
  /** Idempotent. */
  stop(): void
}

/** Asks the terminal for the marks. Create it after the readline interface of `output`, which reads the keys. */
export function watchPaste(output: NodeJS.WriteStream, { env, stdin } = process): PasteWatch {
  const hasMarks = stdin.isTTY && output.isTTY && env['TERM'] !== 'dumb'
  let isPasting = false
  let isStopped = false
  const onKey = (_text: string | undefined, { name }: Key): void => {
    if (name === 'paste-start') isPasting = true
    if (name === 'paste-end') isPasting = false
  }
  stdin.on('keypress', onKey)
  if (hasMarks) output.write(BEGIN)
  return {
    get isPasting() {
      return isPasting
    },
    forget() {
      isPasting = false
    },
    stop() {
      if (isStopped) return
      isStopped = true
      stdin.off('keypress', onKey)
      if (hasMarks) output.write(END)
    },
  }
}
