import { RESULT_TOOL, type JsonObject, type Outputs, type Tool } from '@polylogue/engine'
import { checkInWorker } from './schema-checker.ts'

const SCHEMA = 'outputSchema'

/** The tool through which a turn returns a value of a given shape. Its input is that value. */
function createResultTool(schema: JsonObject): Tool {
  const { $schema: _, ...parameters } = schema
  return {
    name: RESULT_TOOL,
    title: 'Give the answer',
    description: 'Gives your answer, in the shape that was asked for. Call it once, when you have all of it.',
    parameters,
    effect: 'readonly',
    exposed: false,
    kind: 'result',
    check: (input) => ({ ok: true, input }),
    async deepCheck(input) {
      const { problem } = await checkInWorker({ what: SCHEMA, schema: parameters, value: input })
      return problem === undefined ? { ok: true, input } : { ok: false, problem }
    },
    run: async () => ({ content: 'The answer was accepted.' }),
  }
}

/** Schemas come from clients and values from models. Both are checked in a worker that can be terminated. */
export const outputTools: Outputs = {
  toolFor: createResultTool,
  async problemOf(schema) {
    const { $schema: _, ...parameters } = schema
    return (await checkInWorker({ what: SCHEMA, schema: parameters })).problem
  },
}
