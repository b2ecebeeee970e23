// Tools whose input is described by a JSON Schema that somebody else wrote.
import type { Tool, ToolInvocation } from '@polylogue/engine'
import { compileObjectSchema } from './compile-object-schema.ts'
import { toToolOutput } from './tool-output.ts'

export interface JsonSchemaTool extends Pick<
  Tool,
  'name' | 'title' | 'description' | 'parameters' | 'effect' | 'exposed'
> {
  run(invocation: ToolInvocation): unknown
}

/** Rejects with a `TypeError` if the schema is too large, invalid, or does not describe an object. */
export async function toolFromJsonSchema(definition: JsonSchemaTool): Promise<Tool> {
  const { $schema: _, ...parameters } = definition.parameters
  const check = compileObjectSchema(`tool ${definition.name}: parameters`, parameters)
  return {
    ...definition,
    parameters,
    check,
    async run(invocation) {
      return toToolOutput(definition.name, await definition.run(invocation))
    },
  }
}
