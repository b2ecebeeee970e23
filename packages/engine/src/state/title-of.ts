import type { UserContent } from '../content.ts'

const LONGEST_TITLE = 60

/** What a session is called that nobody has named, from the first thing its user said. */
export function titleOf(said: UserContent): string | undefined {
  const texts = typeof said === 'string' ? [said] : said.map((part) => (part.type === 'text' ? part.text : ''))
  const text = texts.join(' ').trim().replace(/\s+/g, ' ')
  if (text === '') return undefined
  return text.length > LONGEST_TITLE ? `${cutAtCharacter(text, LONGEST_TITLE - 1)}…` : text
}

/** Never cuts a surrogate pair in half. */
export function cutAtCharacter(text: string, length: number): string {
  const end = text.charCodeAt(length - 1)
  return text.slice(0, end >= 0xd800 && end <= 0xdbff ? length - 1 : length)
}
