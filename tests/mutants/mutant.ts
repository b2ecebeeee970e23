/** A bug that somebody might make: what it changes in the sources, and who has to notice. */
export interface Mutant {
  readonly name: string
  readonly edits: readonly Edit[]
  readonly caughtBy: Suite
}

export interface Edit {
  /** From the root of the checkout. */
  readonly file: string
  /** Exactly as it stands there, once. */
  readonly find: string
  readonly replacement: string
}

/** A small part of the test suite. */
export interface Suite {
  readonly file: string
  /** A part of the names of the tests that run; one of them has to fail. */
  readonly test: string
}

/** The text with the bug in it. Throws when the text has moved on and the edit has to follow. */
export function applyEdit(text: string, { file, find, replacement }: Edit): string {
  const parts = text.split(find)
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, not once: ${find}`)
  return parts.join(replacement)
}
