import type { UserContent } from '../content.ts'

const LONGEST_TITLE = 60

/** The default title of a session: the start of the first user message. */
export function titleOf(said: UserContent): string | undefined {
  const texts = typeof said === 'string' ? [said] : said.map((part) => (part.type === 'text' ? part.text : ''))
  const text = texts.join(' ').trim().replace(/\s+/g, ' ')
  if (text === '') return undefined
  return text.length > LONGEST_TITLE ? `${cutAtCharacter(text, LONGEST_TITLE - 1)}…` : text
}

/** Never splits a surrogate pair. */
export function cutAtCharacter(text: string, length: number): string {
  const end = text.charCodeAt(length - 1)
  return text.slice(0, end >= 0xd800 && end <= 0xdbff ? length - 1 : length)
}
