/** The name of a flag and the value after its `=`. */
export function splitFlag(word: string): { readonly name: string; readonly given: string | undefined } {
  const [, name = word, given] = /^(--[^=]+)=(.*)$/s.exec(word) ?? []
  return { name, given }
}

/** `false`: the value is missing or not one of the choices. */
export function takeChoice<Choice extends string>(
  value: string | undefined,
  choices: readonly Choice[],
  set: (choice: Choice) => void,
): boolean {
  const choice = choices.find((known) => known === value)
  if (choice !== undefined) set(choice)
  return choice !== undefined
}

/** `false`: the value is missing. */
export function takeText(value: string | undefined, set: (text: string) => void): boolean {
  if (value !== undefined) set(value)
  return value !== undefined
}
