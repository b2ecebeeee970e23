/** What a command may be made of at most. Beyond a limit nothing is guessed: the judge denies. */
export const SHELL_LIMITS = {
  bytes: 64 * 1024,
  /** Simple commands, those inside of others included. */
  commands: 50,
  /** Of the syntax tree. */
  depth: 100,
  /** `sh -c "sh -c '…'"`, `env -S`, `trap`, here-documents for a shell. */
  scripts: 6,
  wrappers: 12,
  /** The parser looks for the end of every brace anew: 65,000 of them took half a minute. */
  braces: 1500,
  hereDocuments: 100,
} as const

/** What can be told without parsing. */
export function findExceeded(command: string): string | undefined {
  if (Buffer.byteLength(command) > SHELL_LIMITS.bytes) return `longer than ${SHELL_LIMITS.bytes} bytes`
  if (countOf(command, '{') > SHELL_LIMITS.braces) return `more than ${SHELL_LIMITS.braces} braces`
  if (countOf(command, '<<') > SHELL_LIMITS.hereDocuments)
    return `more than ${SHELL_LIMITS.hereDocuments} here-documents`
  return undefined
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}
