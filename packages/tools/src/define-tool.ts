import type {
  CallFacts,
  CallInspection,
  InspectedFrom,
  Grant,
  JsonObject,
  SessionId,
  Tool,
  ToolCallId,
  ToolEffect,
  ToolKind,
  UserId,
  Workspace,
} from '@polylogue/engine'
import { z } from 'zod'
import { oneLine, parseWith } from './parse-with.ts'
import { toToolOutput } from './tool-output.ts'

export interface ToolDefinition<Schema extends z.ZodType> {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** The schema of the input, an object. It is checked before the call is recorded as started, so keep it pure. */
  readonly input: Schema
  readonly effect: ToolEffect
  /** Default `true`. */
  readonly exposed?: boolean
  /** Default: `question` or `agent` by `performer`, else `other`. */
  readonly kind?: ToolKind
  /** Default `tool`. For other performers, `run` is never called. */
  readonly performer?: Tool['performer']
  /** The type of facts that `inspect` returns; see the port. */
  readonly nature?: CallFacts['type']
  /** What one call would do. Default: it is judged by `effect` alone. It may read and must not throw. */
  inspect?(input: z.output<Schema>, workspace: Workspace, from?: InspectedFrom): Promise<CallInspection>
  /**
   * Returns a string, parts, `{ content, isError, meta, changedFiles }`, or any JSON value. An error that it throws
   * becomes the result of the call, as an error. It ends soon after `signal` aborts.
   */
  run(call: ToolRun<z.output<Schema>>): unknown
}

export interface ToolRun<Input> {
  readonly input: Input
  readonly signal: AbortSignal
  /** Also an idempotency key: the same for every attempt of one call. */
  readonly toolCallId: ToolCallId
  readonly sessionId: SessionId
  readonly userId: UserId
  /** 1 the first time; more when a `readonly` or `idempotent` tool runs again after a crash. */
  readonly attempt: number
  readonly workspace: Workspace
  readonly grant: Grant
  /** Shows output while the tool runs. */
  progress(text: string): void
}

/** The names that every model provider takes. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/

/** Throws a `TypeError` if the name is wrong. The input is described when somebody first asks for its parameters. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, title, description, input: schema, effect, exposed = true, kind, performer, nature } = definition
  if (!TOOL_NAME.test(name)) throw new TypeError(`tool ${JSON.stringify(name)}: name: must match ${TOOL_NAME.source}`)
  let parameters: JsonObject | undefined
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    get parameters() {
      return (parameters ??= toParameters(name, schema))
    },
    effect,
    exposed,
    ...(kind === undefined ? {} : { kind }),
    ...(performer === undefined ? {} : { performer }),
    ...(nature === undefined ? {} : { nature }),
    check(input) {
      const parsed = parseWith(schema, input)
      return parsed.ok ? { ok: true, input: parsed.value } : parsed
    },
    ...(definition.inspect && {
      inspect: (input: unknown, workspace: Workspace, from?: InspectedFrom) =>
        definition.inspect?.(input as z.output<Schema>, workspace, from) ?? Promise.reject(new Error('unreachable')),
    }),
    async run({ input, ...invocation }) {
      // The engine hands back what `check` made of the input.
      return toToolOutput(name, await definition.run({ ...invocation, input: input as z.output<Schema> }))
    },
  }
}

/** For tools of users. Also throws if the input cannot be described, so that its author notices at startup. */
export function defineCheckedTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  // The copy reads the parameters.
  return { ...defineTool(definition) }
}

function toParameters(name: string, schema: z.ZodType): JsonObject {
  const { $schema: _, ...parameters } = describeAsJson(name, schema)
  if (parameters['type'] !== 'object') throw new TypeError(`tool ${name}: input: must be an object schema`)
  return parameters
}

/** Converted through JSON text, because the schema library attaches functions to its result. */
function describeAsJson(name: string, schema: z.ZodType): JsonObject {
  try {
    return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' }))) as JsonObject
  } catch (error) {
    throw new TypeError(`tool ${name}: input: ${oneLine(error instanceof Error ? error.message : String(error))}`, {
      cause: error,
    })
  }
}
