import type { JsonObject } from '@polylogue/kit/client'
import type { WireContent, WireToolSpec } from '../wire.ts'

/** A schema library's own object, by the Standard Schema convention: zod from 4.2 on, and others. */
export interface StandardSchema<Input> {
  readonly '~standard': {
    validate(value: unknown): StandardResult<Input> | Promise<StandardResult<Input>>
    readonly jsonSchema?: { input(options: { readonly target: 'draft-2020-12' }): Record<string, unknown> }
  }
}

type StandardResult<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] }[] }

/** A tool that the client runs. Its input is checked before `run` sees it. */
export interface ClientTool {
  readonly spec: WireToolSpec
  run(input: JsonObject, context: { readonly toolCallId: string; readonly signal: AbortSignal }): Promise<WireContent>
}

export interface ToolDefinition<Input> {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** A Standard Schema, or a JSON Schema, which only the model sees. */
  readonly parameters: StandardSchema<Input> | JsonObject
  /** A string, content blocks, or any value, which is sent as JSON. */
  run(input: Input, context: { readonly toolCallId: string; readonly signal: AbortSignal }): unknown
}

export function defineClientTool<Input>(definition: ToolDefinition<Input>): ClientTool {
  const { name, title, description, parameters } = definition
  const schema = isStandard(parameters) ? parameters : undefined
  const json = schema === undefined ? (parameters as JsonObject) : toJsonSchema(name, schema)
  return {
    spec: { name, ...(title !== undefined && { title }), description, parameters: json },
    async run(input, context) {
      const checked = schema === undefined ? { value: input as Input } : await schema['~standard'].validate(input)
      if (checked.issues !== undefined) return `Invalid input: ${checked.issues.map(toSentence).join('; ')}`
      return toContent(await definition.run(checked.value, context))
    },
  }
}

function isStandard<Input>(parameters: StandardSchema<Input> | JsonObject): parameters is StandardSchema<Input> {
  return '~standard' in parameters
}

function toJsonSchema<Input>(name: string, schema: StandardSchema<Input>): JsonObject {
  const { jsonSchema } = schema['~standard']
  if (jsonSchema === undefined)
    throw new Error(`The schema of ${name} cannot be written as JSON Schema; pass one instead.`)
  const { $schema: _omitted, ...json } = jsonSchema.input({ target: 'draft-2020-12' })
  // JSON by its contract.
  return json as JsonObject
}

function toSentence({ message, path = [] }: { readonly message: string; readonly path?: readonly unknown[] }): string {
  const keys = path.map((part) => String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part))
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`
}

function toContent(value: unknown): WireContent {
  if (typeof value === 'string') return value
  const isBlocks = Array.isArray(value) && value.length > 0 && value.every((part: unknown) => isBlock(part))
  return isBlocks ? (value as WireContent) : (JSON.stringify(value) ?? '')
}

function isBlock(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'type' in part && (part.type === 'text' || part.type === 'image')
}
