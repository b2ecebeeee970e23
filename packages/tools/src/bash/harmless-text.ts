// Output of programs is shown on terminals and pages. Escape sequences could move the cursor, rename the window or hide
// text there, so that control characters appear as pictures of themselves, and lines end with a line feed.

/** Keeps what must be seen together across pieces: a carriage return at the end of one. */
export interface TextCleaner {
  clean(text: string): string
  /** What is still held back. */
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
