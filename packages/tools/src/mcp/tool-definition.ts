import { type Digest, type JsonObject, type JsonValue, type Tool, canonicalJson } from '@polylogue/engine'
import { z } from 'zod'
import { dropHidden } from '../drop-hidden.ts'
import { formatPath } from '../parse-with.ts'
import { isJsonObject } from '../split-meta.ts'
import { checkAgainst } from './check-schema.ts'
import { isDeeperThan } from './json-depth.ts'
import { DEEPEST_SCHEMA, LARGEST_SCHEMA, LONGEST_DESCRIPTION } from './mcp-limits.ts'

/** A tool as its server describes it. */
export interface ToolDefinition {
  /** The server's own name for it. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly hints: ToolHints
  /** The digest of the server's description. Another digest means another tool. */
  readonly digest: string
  readonly check: Tool['check']
}

export interface ToolHints {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
}

const hint = z.boolean().optional().catch(undefined)
const listed = z.object({
  name: z.string().min(1).max(256),
  title: z.string().max(LARGEST_SCHEMA).optional().catch(undefined),
  description: z.string().max(LARGEST_SCHEMA, `longer than ${LARGEST_SCHEMA} characters`).default(''),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z
    .object({
      title: z.string().max(LARGEST_SCHEMA).optional().catch(undefined),
      readOnlyHint: hint,
      destructiveHint: hint,
      idempotentHint: hint,
    })
    .default({})
    .catch({}),
})

const LONGEST_TITLE = 200

/** Throws with a sentence if the tool cannot be offered to a model. */
export function parseToolDefinition(value: unknown, digest: Digest): ToolDefinition {
  const parsed = listed.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(issue === undefined ? 'is not a tool' : `${formatPath(issue.path)}: ${issue.message}`)
  }
  const { name, title, description, inputSchema: schema, annotations } = parsed.data
  if (isDeeperThan(schema, DEEPEST_SCHEMA)) throw new Error(`inputSchema: nested more than ${DEEPEST_SCHEMA} deep`)
  const { $schema: _, ...rest } = schema
  // The value was parsed from JSON.
  const given = rest as JsonObject
  if (JSON.stringify(given).length > LARGEST_SCHEMA) {
    throw new Error(`inputSchema: larger than ${LARGEST_SCHEMA} characters`)
  }
  const inputSchema = withoutHidden(given)
  const shown = annotations.title ?? title
  return {
    name,
    ...(shown === undefined || shown === '' ? {} : { title: tidy(shown, LONGEST_TITLE).replaceAll('\n', ' ') }),
    description: tidy(description, LONGEST_DESCRIPTION),
    inputSchema,
    hints: {
      readOnly: annotations.readOnlyHint === true,
      destructive: annotations.destructiveHint === true,
      idempotent: annotations.idempotentHint === true,
    },
    digest: digest(
      canonicalJson({ name, title: shown ?? '', description, inputSchema, annotations: toHints(annotations) }),
    ),
    check: (input) => checkAgainst(inputSchema, input),
  }
}

const toHints = (annotations: z.infer<typeof listed>['annotations']): JsonObject => ({
  readOnly: annotations.readOnlyHint ?? false,
  destructive: annotations.destructiveHint ?? false,
  idempotent: annotations.idempotentHint ?? false,
})

/** The schema's words for the model, at any depth. Names and values stay as the server wants them. */
function withoutHidden(schema: JsonObject): JsonObject {
  const read = (value: JsonValue, key = ''): JsonValue => {
    if (typeof value === 'string') return key === 'description' || key === 'title' ? dropHidden(value) : value
    if (Array.isArray(value)) return value.map((item: JsonValue) => read(item))
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, read(inner, name)]))
  }
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, read(value, name)]))
}

function tidy(text: string, most: number): string {
  const visible = dropHidden(text.slice(0, most * 2))
  return visible.length <= most ? visible : `${visible.slice(0, most - 1)}…`
}
