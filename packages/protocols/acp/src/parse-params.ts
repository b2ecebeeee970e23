import { parseShape } from '@polylogue/kit/light'
import type { z } from 'zod'
import { isObject } from './is-object.ts'
import { CODES, RpcError, invalidParams } from './rpc/rpc-error.ts'

export type Params = Readonly<Record<string, unknown>>

export function toParams(params: unknown): Params {
  if (!isObject(params)) throw new RpcError(CODES.invalidParams, 'params: must be an object', { field: 'params' })
  return params
}

/** `at` is the path of the value. The error names the field and the expected type, never the given value. */
export function parseParams<Schema extends z.ZodType>(schema: Schema, value: unknown, at = ''): z.output<Schema> {
  const parsed = parseShape(schema, value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalidParams(formatPath(at, issue?.path ?? []), describe(issue))
}

function describe(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case 'invalid_type':
      return `must be ${issue.expected === 'int' ? 'an integer' : withArticle(issue.expected)}`
    case 'unrecognized_keys':
      return `unknown: ${issue.keys
        .slice(0, MOST_NAMED)
        .map((key) => key.slice(0, 64))
        .join(', ')}`
    case 'custom':
    case 'too_small':
    case 'too_big':
    case 'invalid_format':
    case 'invalid_value':
      return issue.message
    default:
      return 'is not valid'
  }
}

/** Of unknown keys. */
const MOST_NAMED = 10

const withArticle = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

function formatPath(at: string, path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((before, part) => {
    if (typeof part === 'number') return `${before}[${part}]`
    return before === '' ? String(part) : `${before}.${String(part)}`
  }, at)
  return text === '' ? 'params' : text
}

/** Refuses keys that are not in `allowed`: an unknown key may hold a credential. */
export function refuseOtherKeys(params: Params, allowed: readonly string[]): void {
  const other = Object.keys(params).find((key) => !allowed.includes(key))
  if (other !== undefined) throw invalidParams(other.slice(0, 64), 'is not accepted here')
}
