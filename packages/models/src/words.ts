/** Cuts a text into its words, each with the white space that follows it. Joined again they are the text. */
export function toWords(text: string): readonly string[] {
  if (text === '') return []
  return text.match(/(?:^\s*)?\S+\s*/g) ?? [text]
}
