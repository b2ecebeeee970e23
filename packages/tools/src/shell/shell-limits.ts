/** The limits of a command. Beyond a limit, the judge denies. */
export const SHELL_LIMITS = {
  bytes: 64 * 1024,
  /** The number of simple commands, including nested ones. */
  commands: 50,
  /** The depth of the syntax tree. */
  depth: 100,
  /** `sh -c "sh -c '…'"`, `env -S`, `trap`, here-documents for a shell. */
  scripts: 6,
  wrappers: 12,
  /** Of all commands together. Wrapped commands count again with each wrapper. */
  words: 5000,
  /** Paths that the command may mean: each word of `cd a; cd b; rm …` in each of the folders. Each is looked up on the disk. */
  paths: 8000,
  /** The maximum for one command. */
  redirections: 100,
  // The parser searches for the end of each of these: 65,000 braces took half a minute.
  braces: 1500,
  brackets: 8000,
  hereDocuments: 100,
  oldArithmetic: 20,
} as const

const COUNTED: readonly (readonly [part: string, most: number, what: string])[] = [
  ['{', SHELL_LIMITS.braces, 'braces'],
  ['[', SHELL_LIMITS.brackets, 'brackets'],
  ['<<', SHELL_LIMITS.hereDocuments, 'here-documents'],
  ['$[', SHELL_LIMITS.oldArithmetic, 'expansions $[…]'],
]

/** Limits that need no parser. */
export function findExceeded(command: string): string | undefined {
  if (Buffer.byteLength(command) > SHELL_LIMITS.bytes) return `longer than ${SHELL_LIMITS.bytes} bytes`
  for (const [part, most, what] of COUNTED) {
    if (command.split(part).length - 1 > most) return `more than ${most} ${what}`
  }
  return undefined
}
