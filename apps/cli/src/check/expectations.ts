import { isDeepStrictEqual } from 'node:util'
import { NotApplicable, RuleBroken } from './check-case.ts'

const SHOWN_LENGTH = 200

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return
  throw new RuleBroken(`${what}: expected ${show(expected)}, received ${show(actual)}`)
}

export function expectThat(isSo: boolean, sentence: string): void {
  if (!isSo) throw new RuleBroken(sentence)
}

/** For preconditions of the rule. */
export function needs(isSo: boolean, sentence: string): void {
  if (!isSo) throw new NotApplicable(sentence)
}

export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
}

/** An object, or an empty one: a field of something else is simply absent. */
export function asObject(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A text, or nothing. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

export const hasText = (value: unknown): boolean => typeof value === 'string' && value !== ''
