/** The lines of an answer that are set apart to be copied. */
export function shownLines(answer: string): string {
  return answer
    .split('\n')
    .filter((line) => /^ {4}|^$/.test(line))
    .map((line) => line.slice(4))
    .join('\n')
    .trim()
}
