import type { Row } from '@polylogue/store-rows'

/**
 * The database cannot store U+0000 or lone surrogates. Lone surrogates become U+FFFD. U+0000 and its escape character
 * are stored as two characters each and restored on reading.
 */
const SIGN = '\u0001'
// oxlint-disable-next-line no-control-regex
const SPECIAL = /[\u0000\u0001]/
// oxlint-disable-next-line no-control-regex
const EVERY_SPECIAL = /[\u0000\u0001]/g
// oxlint-disable-next-line no-control-regex
const EVERY_WRITTEN = /\u0001([01])/g

export function toText(text: string): string {
  const formed = text.toWellFormed()
  return SPECIAL.test(formed) ? formed.replace(EVERY_SPECIAL, (sign) => SIGN + String(sign.charCodeAt(0))) : formed
}

export function fromText(text: string): string {
  return text.includes(SIGN)
    ? text.replace(EVERY_WRITTEN, (_, code: string) => String.fromCharCode(Number(code)))
    : text
}

/** Contract: changes the row in place, so no other code may hold it. */
export function toRow(row: Record<string, unknown>): Row {
  for (const [column, value] of Object.entries(row)) if (typeof value === 'string') row[column] = fromText(value)
  return row
}
