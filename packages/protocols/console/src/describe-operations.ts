import type { z } from 'zod'
import { refusalBody } from './contract/fields.ts'
import type { OperationSpec } from './contract/operation.ts'
import { operations } from './contract/operations.ts'
import { BASE_PATH } from './light/base-path.ts'

/** An operation for an OpenAPI document; `path` is whole, with parameters in braces. */
export interface DescribedOperation extends Pick<OperationSpec, 'method' | 'tag' | 'summary' | 'status' | 'refusals'> {
  readonly name: string
  readonly path: string
  readonly isOpen: false
  readonly isFile: false
  readonly query: z.ZodObject | undefined
  readonly body: z.ZodObject | undefined
  readonly answer: z.ZodType | undefined
  readonly failure: { readonly body: z.ZodType; readonly wrongRequest: 400 }
}

/** What everybody with a key can do. */
export function describeOperations(): readonly DescribedOperation[] {
  return Object.entries<OperationSpec>(operations).map(([name, spec]) => {
    const { method, path, summary, tag, status, query, body, answer, refusals } = spec
    return {
      // Other protocols have operations of the same names.
      name: `console_${name}`,
      method,
      path: `${BASE_PATH}${path}`,
      tag: `console: ${tag}`,
      summary,
      status,
      isOpen: false,
      isFile: false,
      query,
      body,
      answer,
      ...(refusals && { refusals }),
      failure: { body: refusalBody, wrongRequest: 400 },
    }
  })
}
