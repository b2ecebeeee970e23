// Runs in a worker thread, because checking a client's schema or a model's value may never end (patterns that backtrack,
// alternatives inside recursion), and a check can only be stopped from outside.
import { parentPort } from 'node:worker_threads'
import { compileObjectSchema } from '../compile-object-schema.ts'
import type { SchemaRequest, SchemaVerdict } from './schema-checker.ts'

function answer({ what, schema, value }: SchemaRequest): SchemaVerdict {
  try {
    const check = compileObjectSchema(what, schema)
    if (value === undefined) return {}
    const checked = check(value)
    return checked.ok ? {} : { problem: checked.problem }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

parentPort?.on('message', (request: SchemaRequest) => parentPort?.postMessage(answer(request)))
// Loads the compiler in advance, so that the first schema does not count as slow.
compileObjectSchema('warm-up', { type: 'object' })
parentPort?.postMessage('ready')
