// Terminals and web pages show the output of programs. Escape sequences could move the cursor, rename the window or
// hide text. So control characters are replaced by their Unicode pictures, and lines end with a line feed.

/** Handles sequences that span two pieces, such as a carriage return at the end of the first. */
export interface TextCleaner {
  clean(text: string): string
  /** Returns the text that is still held back. */
  finish(): string
}

export function createTextCleaner(): TextCleaner {
  let heldBack = ''
  return {
    clean(text) {
      const whole = heldBack + text
      heldBack = whole.endsWith('\r') ? '\r' : ''
      return toHarmless(heldBack === '' ? whole : whole.slice(0, -1))
    },
    finish() {
      const rest = toHarmless(heldBack)
      heldBack = ''
      return rest
    },
  }
}

export function toHarmless(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b-\u001f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
      .replace(/\u007f/g, '\u2421')
      .replace(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
  )
}
