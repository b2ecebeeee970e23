// Turns a tool's return value into the engine's output.
import { textOf, type JsonObject, type ToolContent, type ToolOutput } from '@polylogue/engine'
import { z } from 'zod'
import { oneLine } from './parse-with.ts'
import { checkMeta, isJsonObject, splitMeta } from './split-meta.ts'

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
const output = z.strictObject({
  content: z.union([z.string(), parts]),
  isError: z.boolean().optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
  changedFiles: z
    .array(z.strictObject({ path: z.string(), change: z.enum(['created', 'modified', 'deleted']) }))
    .optional(),
})

/** Longer texts are not searched for `_meta`. */
const LARGEST_META_TEXT = 1024 * 1024

export interface OutputOptions {
  /** Called with one line for each part of `_meta` that was left out. Default: a process warning. */
  readonly warn?: (problem: string) => void
}

/**
 * A string stays as it is, `undefined` becomes the empty string, parts and whole outputs pass, and other values become
 * JSON. A value that JSON cannot represent is a failure with a message, which helps the model more than a partial value.
 * The key `_meta` of an object, or of a text that is a JSON object, moves from the content to `meta`.
 */
export function toToolOutput(tool: string, returned: unknown, options: OutputOptions = {}): ToolOutput {
  const warn = options.warn ?? ((problem: string) => process.emitWarning(problem, 'ToolWarning'))
  const report = (dropped: readonly string[] = []): void => {
    for (const problem of dropped) warn(`tool ${tool}: ${problem}`)
  }
  if (isJsonObject(returned) && Object.hasOwn(returned, '_meta')) {
    const json = toJsonOutput(tool, returned)
    if (json.isError === true) return json
    const { rest, meta, dropped } = splitMeta(JSON.parse(textOf(json.content)) as JsonObject)
    report(dropped)
    return withMeta(toToolOutput(tool, rest, { warn }), meta)
  }
  const { meta: own, ...plain } = toPlainOutput(tool, returned)
  const checked = own === undefined ? undefined : checkMeta(own)
  report(checked?.dropped)
  const inText = typeof plain.content === 'string' ? parseMetaText(plain.content) : undefined
  if (inText === undefined) return withMeta(plain, checked?.meta)
  const { rest, meta, dropped } = splitMeta(inText)
  report(dropped)
  return withMeta({ ...plain, ...toJsonOutput(tool, rest) }, { ...meta, ...checked?.meta })
}

function toPlainOutput(tool: string, returned: unknown): ToolOutput {
  if (typeof returned === 'string') return { content: returned }
  if (returned === undefined) return { content: '' }
  if (typeof returned === 'object' && returned !== null) {
    const whole = output.safeParse(returned)
    if (whole.success) return whole.data as ToolOutput
    const asParts = parts.safeParse(returned)
    if (asParts.success) return { content: asParts.data }
  }
  return toJsonOutput(tool, returned)
}

function withMeta(plain: ToolOutput, meta: JsonObject = {}): ToolOutput {
  return Object.keys(meta).length === 0 ? plain : { ...plain, meta: { ...plain.meta, ...meta } }
}

/** `undefined` if the text is not a JSON object with `_meta`. Such a text stays unchanged. */
function parseMetaText(text: string): JsonObject | undefined {
  if (text.length > LARGEST_META_TEXT || !/^\s*\{/.test(text) || !text.includes('"_meta"')) return undefined
  const parsed = parseJson(text)
  return isJsonObject(parsed) && Object.hasOwn(parsed, '_meta') ? parsed : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
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
