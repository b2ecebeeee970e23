/**
 * One field of a cron expression: numbers, names where there are some, ranges `a-b`, steps `a-b/n` and `*`/n, or `*`;
 * several of them with commas between.
 */
export interface FieldSpec {
  readonly name: string
  readonly least: number
  readonly most: number
  /** For the numbers from `least` on. */
  readonly names?: readonly string[]
}

/** The numbers that it stands for, smallest first, or what is wrong with it. */
export function parseField(text: string, spec: FieldSpec): readonly number[] | string {
  const numbers = new Set<number>()
  for (const part of text.split(',')) {
    const range = parsePart(part, spec)
    if (typeof range === 'string') return `the ${spec.name}: ${range}`
    for (let number = range.from; number <= range.to; number += range.step) numbers.add(number)
  }
  return [...numbers].sort((one, other) => one - other)
}

interface Range {
  readonly from: number
  readonly to: number
  readonly step: number
}

const PART = /^(?:(?<every>\*)|(?<from>\w{1,9})(?:-(?<to>\w{1,9}))?)(?:\/(?<step>\d{1,9}))?$/

function parsePart(part: string, spec: FieldSpec): Range | string {
  const { every, from, to, step = '1' } = PART.exec(part)?.groups ?? {}
  if (every === undefined && from === undefined) return `${quote(part)} is not a number, a range or *`
  if (every === undefined && to === undefined && step !== '1') return `${quote(part)} needs a range before the step`
  const first = every === undefined ? numberIn(from, spec) : spec.least
  const last = every === undefined ? numberIn(to ?? from, spec) : spec.most
  if (first === undefined || last === undefined) return `${quote(part)} is not from ${spec.least} to ${spec.most}`
  if (first > last) return `${quote(part)} goes backwards`
  if (Number(step) < 1 || Number(step) > spec.most) return `${quote(part)} has no step from 1 to ${spec.most}`
  return { from: first, to: last, step: Number(step) }
}

function numberIn(word = '', { least, most, names = [] }: FieldSpec): number | undefined {
  const place = names.indexOf(word.toLowerCase())
  const number = place >= 0 ? least + place : /^\d+$/.test(word) ? Number(word) : undefined
  return number !== undefined && number >= least && number <= most ? number : undefined
}

const quote = (part: string): string => JSON.stringify(part)
