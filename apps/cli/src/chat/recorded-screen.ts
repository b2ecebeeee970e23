import type { Output } from '../terminal.ts'
import type { ChatScreen } from './chat-screen.ts'

export interface RecordedScreen {
  readonly screen: ChatScreen
  readonly written: () => string
}

/** For tests: a screen that keeps what is written. Styles are tags: `<b>bold</b>`. */
export function createRecordedScreen(columns = 40): RecordedScreen {
  let written = ''
  const tag = (name: string) => (text: string) => `<${name}>${text}</${name}>`
  const output: Output = {
    isTerminal: true,
    write: (text) => void (written += text),
    dim: tag('d'),
    bold: tag('b'),
  }
  return {
    screen: {
      terminal: { stdout: output, stderr: output, canAsk: true },
      columns: () => columns,
      paint: { code: tag('c'), added: tag('add'), removed: tag('del') },
    },
    written: () => written,
  }
}
