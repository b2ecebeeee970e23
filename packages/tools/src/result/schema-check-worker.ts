// Runs in a worker thread: a schema that a client wrote, or a value that a model wrote for it, may take for ever to check
// (patterns that backtrack, alternatives inside recursion), and code cannot be stopped from inside.
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
// The compiler loads with the first schema, which must not count as slow.
compileObjectSchema('warm-up', { type: 'object' })
parentPort?.postMessage('ready')
