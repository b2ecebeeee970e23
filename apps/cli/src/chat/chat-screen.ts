import type { Output, Terminal } from '../terminal.ts'
import { wrapLines } from './display-width.ts'

/** The terminal of a chat: its width, and more colours than other verbs use. */
export interface ChatScreen {
  /** Breaks the lines of notices between words. */
  readonly terminal: Terminal
  readonly columns: () => number
  readonly paint: {
    readonly code: (text: string) => string
    readonly added: (text: string) => string
    readonly removed: (text: string) => string
  }
}

const USUAL_COLUMNS = 80
const FEWEST_COLUMNS = 20

export function createChatScreen(terminal: Terminal, stream: { readonly columns?: number | undefined }): ChatScreen {
  const columns = (): number => Math.max(stream.columns ?? USUAL_COLUMNS, FEWEST_COLUMNS)
  const hasColor = terminal.stdout.bold('x') !== 'x'
  const paint = (code: number) => (text: string) => (hasColor ? `\u001b[${code}m${text}\u001b[0m` : text)
  const notices: Output = {
    ...terminal.stderr,
    write: (text) => terminal.stderr.write(wrapLines(text, columns())),
  }
  return {
    terminal: { ...terminal, stderr: notices },
    columns,
    paint: { code: paint(36), added: paint(32), removed: paint(31) },
  }
}
