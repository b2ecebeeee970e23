import { isDeepStrictEqual } from 'node:util'
import { AccountBuilder, type Account, type Item } from './account.ts'
import type { DoorDriver, LimitName } from './driver.ts'

export type Reading = 'live' | 'read'

const QUESTION_TOOL = 'AskUserQuestion'

export const hasLimit = ({ limits }: DoorDriver, name: LimitName): boolean => limits.some(({ what }) => what === name)

/** Whether a door sent what is expected, as far as its protocol carries it. */
export function isAsExpected(told: Account, expected: Account, { door, reading }: Told): boolean {
  if (!isDeepStrictEqual(told.items, expected.items)) return false
  if (told.state === undefined) return hasLimit(door, reading === 'live' ? 'state, live' : 'state, when read')
  const isTokenLimit = expected.state === 'token-limit' && hasLimit(door, 'token limit')
  return told.state === (isTokenLimit ? 'finished' : expected.state)
}

export interface Told {
  readonly door: DoorDriver
  readonly reading: Reading
}

/** Live, not every door repeats user messages; sub-agents are compared by the result of their call. */
export function toComparable(
  { items, state }: Account,
  { door, reading }: Told,
  innerCalls: readonly string[],
): Account {
  const leavesAnswers = reading === 'live' && hasLimit(door, 'answers to questions, live')
  const questions = items.flatMap((item) => ('call' in item && item.name === QUESTION_TOOL ? [item.call] : []))
  const isShown = (item: Item): boolean =>
    !(reading === 'live' && 'user' in item) &&
    !(leavesAnswers && 'result' in item && questions.includes(item.result)) &&
    !('call' in item && innerCalls.includes(item.call)) &&
    !('result' in item && innerCalls.includes(item.result))
  return { ...joinTexts(items.filter(isShown)), ...(state !== undefined && { state }) }
}

/** Binds ids and contents that begin with `$` to the values of the first door that sends them. */
export function learn(learned: Map<string, string>, expected: readonly Item[], told: readonly Item[]): void {
  const known = new Set(expected.flatMap((item) => ('call' in item ? [item.call] : [])))
  for (const item of expected) {
    const wanted = openOf(item)
    if (wanted === undefined || learned.has(wanted)) continue
    const found = told.flatMap((other) => {
      if ('call' in item && 'call' in other && other.name === item.name && !known.has(other.call)) return [other.call]
      const isResult = 'result' in item && 'result' in other && other.result === item.result
      return isResult && other.content.startsWith(wanted.slice(1)) ? [other.content] : []
    })
    if (found[0] !== undefined) learned.set(wanted, found[0])
  }
}

const openOf = (item: Item): string | undefined => {
  const text = 'call' in item ? item.call : 'result' in item ? item.content : ''
  return text.startsWith('$') ? text : undefined
}

export function fillIn(items: readonly Item[], learned: ReadonlyMap<string, string>): readonly Item[] {
  const fill = (text: string): string => learned.get(text) ?? text
  return items.map((item) => {
    if ('call' in item) return { ...item, call: fill(item.call) }
    return 'result' in item ? { result: fill(item.result), content: fill(item.content) } : item
  })
}

function joinTexts(items: readonly Item[]): Account {
  const builder = new AccountBuilder()
  for (const item of items) {
    if ('user' in item) builder.user(item.user, item.images)
    else if ('text' in item) builder.say('text', item.text)
    else if ('thinking' in item) builder.say('thinking', item.thinking)
    else if ('call' in item) builder.call(item.call, item)
    else builder.result(item.result, item.content)
  }
  return builder.toAccount()
}
