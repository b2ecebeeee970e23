/** A plausible bug: its edit of the sources, and the tests that must catch it. */
export interface Mutant {
  readonly name: string
  readonly edits: readonly Edit[]
  readonly caughtBy: Suite
}

export interface Edit {
  /** Relative to the root of the checkout. */
  readonly file: string
  /** The exact text. It must occur once in the file. */
  readonly find: string
  readonly replacement: string
}

/** A small part of the test suite. */
export interface Suite {
  readonly file: string
  /** Selects tests by a part of their name. At least one of them must fail. */
  readonly test: string
}

/** Returns the text with the bug. Throws when the source has changed and the edit must be updated. */
export function applyEdit(text: string, { file, find, replacement }: Edit): string {
  const parts = text.split(find)
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, not once: ${find}`)
  return parts.join(replacement)
}
