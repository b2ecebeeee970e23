// Checks values against a JSON Schema that somebody else wrote.
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { InputCheck, JsonObject } from '@polylogue/engine'
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'

const LARGEST_SCHEMA = 256 * 1024
/** Compiled validators stay in memory while they are cached, so the cache drops the oldest. */
const MOST_VALIDATORS = 1000

let compiler: Ajv2020 | undefined
const validators = new Map<string, ValidateFunction>()

/** Throws a `TypeError` if the schema is too large, invalid, or does not describe an object. `what` names it in messages. */
export function compileObjectSchema(what: string, schema: JsonObject): (input: JsonObject) => InputCheck {
  const validate = validatorFor(what, schema)
  return (input) =>
    validate(input) ? { ok: true, input } : { ok: false, problem: describeError(validate.errors?.[0]) }
}

function validatorFor(what: string, schema: JsonObject): ValidateFunction {
  if (schema['type'] !== 'object') throw new TypeError(`${what}: must be an object schema`)
  const text = JSON.stringify(schema)
  if (text.length > LARGEST_SCHEMA) throw new TypeError(`${what}: larger than ${LARGEST_SCHEMA}`)
  const digest = createHash('sha256').update(text).digest('base64')
  const known = validators.get(digest)
  if (known) return known
  compiler ??= createCompiler()
  const validate = compile(compiler, what, schema)
  const oldest = validators.keys().next()
  if (validators.size >= MOST_VALIDATORS && !oldest.done) validators.delete(oldest.value)
  validators.set(digest, validate)
  return validate
}

/** Loaded with the first schema, so that a server without schemas does not pay for the import. */
function createCompiler(): Ajv2020 {
  const ajv = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  // Foreign schemas contain unknown keywords and formats, and `$id`s that clash. Ignore these.
  return new ajv.Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, logger: false })
}

function compile(ajv: Ajv2020, what: string, schema: JsonObject): ValidateFunction {
  try {
    return ajv.compile(schema)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TypeError(`${what}: ${why}`, { cause: error })
  } finally {
    // The compiler would keep every schema in memory forever.
    ajv.removeSchema(schema)
  }
}

function describeError(error: ErrorObject | undefined): string {
  if (!error) return 'is not valid'
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const problem = error.message ?? 'is not valid'
  return path === '' ? problem : `${path}: ${problem}`
}
