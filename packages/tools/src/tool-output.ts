// What a tool's author returned, as what the engine records.
import type { ToolContent, ToolOutput } from '@polylogue/engine'
import { z } from 'zod'
import { oneLine } from './parse-with.ts'

const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image'),
    source: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('url'), url: z.string() }),
      z.strictObject({ type: z.literal('blob'), hash: z.string(), mediaType: z.string() }),
    ]),
  }),
])
const parts = z.array(part).min(1)
const output = z.strictObject({ content: z.union([z.string(), parts]), isError: z.boolean().optional() })

/**
 * A string stays as it is, `undefined` is the empty string, parts and whole outputs pass, the rest becomes JSON. What
 * JSON cannot say is a failure in words, because the model can do more with that than with a half-written value.
 */
export function toToolOutput(tool: string, returned: unknown): ToolOutput {
  if (typeof returned === 'string') return { content: returned }
  if (returned === undefined) return { content: '' }
  if (typeof returned === 'object' && returned !== null) {
    const whole = output.safeParse(returned)
    if (whole.success) return whole.data
    const asParts = parts.safeParse(returned)
    if (asParts.success) return { content: asParts.data }
  }
  return toJsonOutput(tool, returned)
}

function toJsonOutput(tool: string, returned: unknown): ToolOutput {
  try {
    const json: unknown = JSON.stringify(returned)
    if (typeof json === 'string') return { content: json }
    return failure(tool, `a ${typeof returned}`)
  } catch (error) {
    return failure(tool, oneLine(error instanceof Error ? error.message : String(error)))
  }
}

function failure(tool: string, why: string): ToolOutput & { readonly content: ToolContent } {
  return { content: `The tool ${tool} returned a value that cannot be written as JSON: ${why}`, isError: true }
}
