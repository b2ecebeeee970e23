// Text of models and tools can carry escape sequences that move the cursor, change the window or hide what an
// approval shows, and bidirectional controls that make it read differently. On a terminal they are spelled out.
const BIDIRECTIONAL = '\\u202a-\\u202e\\u2066-\\u2069'
const UNSAFE = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f${BIDIRECTIONAL}]`, 'g')
const UNSAFE_OR_BREAK = new RegExp(`[\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029${BIDIRECTIONAL}]`, 'g')

/** Keeps line breaks and tabs. */
export function toTerminalText(text: string): string {
  return text.replace(UNSAFE, spellOut)
}

/** One line, whatever the text holds. */
export function toTerminalLine(text: string): string {
  return text.replace(UNSAFE_OR_BREAK, spellOut)
}

function spellOut(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  if (character === '\r') return '\\r'
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
