import { spellOut } from '@polylogue/engine'
import { REDACTED, type Redactor } from './redactor.ts'

export type LogFields = { readonly [name: string]: unknown }

const DEEPEST = 5
const MOST_ENTRIES = 50
const LONGEST_TEXT = 8 * 1024
/** Redacted before the cut, so that no secret is cut in half and missed. */
const LONGEST_READ = 8 * LONGEST_TEXT

/**
 * The fields of a log line: plain values with limits and without secrets. Values are redacted, not the finished line,
 * because removing a secret could break the JSON of the line.
 */
export function toLogFields(fields: LogFields, redactor: Redactor): LogFields {
  return toEntries(Object.entries(fields), redactor, DEEPEST + 1)
}

function toValue(value: unknown, redactor: Redactor, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return toText(value, redactor)
    case 'number':
    case 'boolean':
    case 'undefined':
      return value
    case 'object':
      if (value === null) return null
      if (depth === 0) return '…'
      if (value instanceof Error) return toErrorFields(value, redactor, depth)
      if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map((item) => toValue(item, redactor, depth - 1))
      return toEntries(Object.entries(value), redactor, depth)
    default:
      return toText(String(value), redactor)
  }
}

/** A field name of our own, not one from data. */
const IDENTIFIER = /^[a-z][A-Za-z]{0,19}$/

function toEntries(entries: readonly (readonly [string, unknown])[], redactor: Redactor, depth: number): LogFields {
  const kept = entries.slice(0, MOST_ENTRIES)
  return Object.fromEntries(
    kept.map(([name, item]) => [
      IDENTIFIER.test(name) ? name : toText(name, redactor),
      isSecret(name, item) ? REDACTED : toValue(item, redactor, depth - 1),
    ]),
  )
}

/** Libraries attach whole requests and responses to errors. Only these fields are logged. */
const ERROR_FIELDS = new Set(['code', 'kind', 'errcode', 'errno', 'syscall', 'status', 'statusCode'])

function toErrorFields(error: Error, redactor: Redactor, depth: number): LogFields {
  const own = Object.entries(error).filter(([name]) => ERROR_FIELDS.has(name))
  return {
    type: toText(error.name, redactor),
    message: toText(error.message, redactor),
    stack: toText(error.stack ?? '', redactor),
    ...toEntries(own, redactor, depth),
    ...(error.cause !== undefined && { cause: toValue(error.cause, redactor, depth - 1) }),
  }
}

function toText(text: string, redactor: Redactor): string {
  return spellOut(redactor.redact(text.slice(0, LONGEST_READ)).slice(0, LONGEST_TEXT))
}

/** A token count is not a secret token. */
function isSecret(name: string, value: unknown): boolean {
  const isText = typeof value === 'string' || (typeof value === 'object' && value !== null)
  return isText && /authorization|cookie|password|passwd|secret|token|api[-_]?key/i.test(name)
}
