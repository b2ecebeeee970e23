const LONGEST_QUOTE = 300

/** Cut to a readable length, never through a character. */
export function quote(text: string, longest = LONGEST_QUOTE): string {
  return text.length <= longest ? text : `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…`
}
