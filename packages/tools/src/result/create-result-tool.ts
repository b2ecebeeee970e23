import { RESULT_TOOL, type JsonObject, type Tool } from '@polylogue/engine'
import { compileObjectSchema } from '../compile-object-schema.ts'

/**
 * The tool through which a turn gives an answer of a given shape: its input is that answer. Throws a `TypeError` when the
 * schema is none of an object.
 */
export function createResultTool(schema: JsonObject): Tool {
  const { $schema: _, ...parameters } = schema
  return {
    name: RESULT_TOOL,
    title: 'Give the answer',
    description: 'Gives your answer, in the shape that was asked for. Call it once, when you have all of it.',
    parameters,
    effect: 'readonly',
    exposed: false,
    kind: 'result',
    check: compileObjectSchema('outputSchema', parameters),
    run: async () => ({ content: 'The answer was accepted.' }),
  }
}
