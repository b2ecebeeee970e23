// Tools whose input is described by a JSON Schema that somebody else wrote.
import { createHash } from 'node:crypto'
import type { JsonObject, Tool, ToolInvocation } from '@polylogue/engine'
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { toToolOutput } from './tool-output.ts'

export interface JsonSchemaTool extends Pick<
  Tool,
  'name' | 'title' | 'description' | 'parameters' | 'effect' | 'exposed'
> {
  run(invocation: ToolInvocation): unknown
}

const LARGEST_SCHEMA = 256 * 1024
/** Compiled validators are code: they are never freed while cached, so the cache forgets the oldest. */
const MOST_VALIDATORS = 1000

let compiler: Promise<Ajv2020> | undefined
const validators = new Map<string, ValidateFunction>()

/** Rejects with a `TypeError` when the schema is too large, not an object's, or not a schema. */
export async function toolFromJsonSchema(definition: JsonSchemaTool): Promise<Tool> {
  const { $schema: _, ...parameters } = definition.parameters
  const validate = await validatorFor(definition.name, parameters)
  return {
    ...definition,
    parameters,
    check(input) {
      if (validate(input)) return { ok: true, input }
      return { ok: false, problem: describeError(validate.errors?.[0]) }
    },
    async run(invocation) {
      return toToolOutput(definition.name, await definition.run(invocation))
    },
  }
}

async function validatorFor(name: string, schema: JsonObject): Promise<ValidateFunction> {
  if (schema['type'] !== 'object') throw new TypeError(`tool ${name}: parameters: must be an object schema`)
  const text = JSON.stringify(schema)
  if (text.length > LARGEST_SCHEMA) throw new TypeError(`tool ${name}: parameters: larger than ${LARGEST_SCHEMA}`)
  const digest = createHash('sha256').update(text).digest('base64')
  const known = validators.get(digest)
  if (known) return known
  compiler ??= createCompiler()
  const validate = compile(await compiler, name, schema)
  const oldest = validators.keys().next()
  if (validators.size >= MOST_VALIDATORS && !oldest.done) validators.delete(oldest.value)
  validators.set(digest, validate)
  return validate
}

/** Loaded when the first such tool appears: a server without one does not pay for the import. */
async function createCompiler(): Promise<Ajv2020> {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  // Schemas of others carry keywords and formats we do not know, and `$id`s that clash: none of that is our business.
  return new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, logger: false })
}

function compile(ajv: Ajv2020, name: string, schema: JsonObject): ValidateFunction {
  try {
    return ajv.compile(schema)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TypeError(`tool ${name}: parameters: ${why}`, { cause: error })
  } finally {
    // The compiler would remember every schema it has seen, by reference and for ever.
    ajv.removeSchema(schema)
  }
}

function describeError(error: ErrorObject | undefined): string {
  if (!error) return 'is not valid'
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const problem = error.message ?? 'is not valid'
  return path === '' ? problem : `${path}: ${problem}`
}
