import { z } from 'zod'
import type { DescribedOperation } from '../rest/operation.ts'
import type { Json } from '../wire.ts'

interface JsonObject {
  readonly [name: string]: Json
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly security: readonly { readonly [scheme: string]: readonly string[] }[]
  readonly paths: { readonly [path: string]: { readonly [method: string]: DocumentedOperation } }
  readonly components: { readonly schemas: JsonObject; readonly securitySchemes: JsonObject }
}

export interface DocumentedOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  /** Empty for operations without a key. */
  readonly security?: readonly []
  readonly parameters: readonly DocumentedParameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: JsonContent }
  readonly responses: {
    readonly [status: string]: {
      readonly description: string
      readonly content?: JsonContent | FileContent | StreamContent
    }
  }
}

export interface DocumentedParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Json
}

interface StreamContent {
  readonly 'text/event-stream': { readonly schema: Json }
  readonly 'application/json'?: { readonly schema: Json }
}

interface FileContent {
  readonly 'application/octet-stream': { readonly schema: Json }
}

interface JsonContent {
  readonly 'application/json': { readonly schema: Json }
}

const DESCRIPTION =
  'Every HTTP API of a Polylogue server over the same sessions: the Agent Application Protocol (`/aap/v3`, `/aap/v1`), ' +
  'Blade (`/api`), the console (`/api/polylogue`), sign-in and health. Blade runs conversations over Socket.IO at ' +
  '`/socket.io/`, editors speak ACP over a WebSocket at `/acp`; neither is HTTP. One API key works everywhere. ' +
  'Unknown fields in requests are ignored.'

/** Builds the document from the schemas that check requests and describe answers. */
export function toOpenApi(operations: readonly DescribedOperation[], version: string): OpenApiDocument {
  const schemas: Record<string, Json> = {}
  const paths: Record<string, Record<string, DocumentedOperation>> = {}
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {})
    path[operation.method.toLowerCase()] = toDocumented(operation, schemas)
  }
  schemas['Failure'] = { type: 'object', properties: { detail: { type: 'string' } }, required: ['detail'] }
  return {
    openapi: '3.1.0',
    info: { title: 'Polylogue', version, description: DESCRIPTION },
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `sk-blade-v2-…`.' } },
    },
  }
}

function toDocumented(operation: DescribedOperation, schemas: Record<string, Json>): DocumentedOperation {
  const { name, tag, summary, body, isOpen } = operation
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(isOpen && { security: [] as const }),
    parameters: [...pathParameters(operation), ...queryParameters(operation, schemas)],
    ...(body && {
      requestBody: { required: !body.safeParse({}).success, content: asContent(toSchema(body, 'input', schemas)) },
    }),
    responses: toResponses(operation, schemas),
  }
}

function pathParameters({ path }: DescribedOperation): readonly DocumentedParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters({ query }: DescribedOperation, schemas: Record<string, Json>): readonly DocumentedParameter[] {
  const fields: { readonly [name: string]: z.ZodType } = query?.shape ?? {}
  return Object.entries(fields).map(([name, field]) => ({
    name,
    in: 'query',
    required: !z.safeParse(field, undefined).success,
    schema: toSchema(field, 'input', schemas),
  }))
}

function toResponses(operation: DescribedOperation, schemas: Record<string, Json>): DocumentedOperation['responses'] {
  const { status, isOpen, path, body, query, refusals = {} } = operation
  const failures: Record<string, string> = {
    ...(!isOpen && { 401: 'the API key is missing or invalid' }),
    ...(path.includes('{') && { 404: 'the id is unknown, or belongs to another user' }),
    ...((body ?? query) && {
      [operation.failure?.wrongRequest ?? 422]: 'the request is invalid; `detail` names the field',
    }),
    ...(body && { 413: 'the body is too large', 415: 'the body is not JSON' }),
    ...refusals,
  }
  const failure = asContent(
    operation.failure === undefined
      ? { $ref: '#/components/schemas/Failure' }
      : toSchema(operation.failure.body, 'output', schemas),
  )
  return {
    [status]: toAnswer(operation, schemas),
    ...Object.fromEntries(
      Object.entries(failures).map(([code, description]) => [code, { description, content: failure }]),
    ),
  }
}

function toAnswer(
  { isFile, answer, events }: DescribedOperation,
  schemas: Record<string, Json>,
): DocumentedOperation['responses'][string] {
  if (isFile) return { description: 'the bytes of the file', content: { 'application/octet-stream': { schema: {} } } }
  const json = answer && asContent(toSchema(answer, 'output', schemas))
  if (events !== undefined) {
    const schema = toSchema(events, 'output', schemas)
    return {
      description: 'a stream of events, or the whole answer',
      content: { ...json, 'text/event-stream': { schema } },
    }
  }
  return json === undefined ? { description: 'done' } : { description: 'done', content: json }
}

const asContent = (schema: Json): JsonContent => ({ 'application/json': { schema } })

/** Moves named schemas to the components of the document. */
function toSchema(schema: z.core.$ZodType, io: 'input' | 'output', schemas: Record<string, Json>): Json {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // Answers may get more fields. Zod's read-only only means that we do not change them.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      delete jsonSchema.readOnly
    },
  })
  const {
    $schema: _,
    $defs = {},
    ...own
  } = JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as {
    $schema?: string
    $defs?: JsonObject
  } & JsonObject
  Object.assign(schemas, $defs)
  return own
}
