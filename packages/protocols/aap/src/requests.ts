import type { JsonObject } from '@polylogue/engine'
import { parseShape } from '@polylogue/kit'
import { z } from 'zod'
import {
  STREAM_MODES,
  imageBlock,
  jsonObject,
  textBlock,
  thinkingBlock,
  toolCallId,
  toolPermission,
  toolUseBlock,
  type AapVersion,
} from './wire.ts'

/** All of them go to the model with each step. */
const MOST_TOOLS = 1_000
const MOST_ANSWERS = 1_000

/**
 * What clients send. Unknown fields are ignored and `null` counts as absent. A list stops at its first bad element: a
 * body of a million wrong ones must not become a million issues.
 */
function list<Element>(element: z.ZodType<Element>, most = Infinity) {
  const bounded = z.array(z.unknown()).max(most, `expected at most ${most} elements`)
  return bounded.transform((items, context): Element[] => {
    const parsed: Element[] = []
    for (const [index, item] of items.entries()) {
      const result = parseShape(element, item)
      if (!result.success) {
        const issue = firstIssue(result.error.issues)
        context.issues.push({ code: 'custom', input: undefined, message: issue.message, path: [index, ...issue.path] })
        return z.NEVER
      }
      parsed.push(result.data)
    }
    return parsed
  })
}

const stringMap = jsonObject.transform((entries, context) => {
  const texts: [string, string][] = []
  for (const [name, value] of Object.entries(entries)) {
    if (typeof value !== 'string') {
      context.issues.push({ code: 'custom', input: undefined, message: 'expected string', path: [name] })
      return z.NEVER
    }
    if (name !== '__proto__') texts.push([name, value])
  }
  return Object.fromEntries(texts)
})

function absentable<Value>(schema: z.ZodType<Value>) {
  return schema.nullish().transform((value) => value ?? undefined)
}

function oneOf<Blocks extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]]>(
  key: 'type' | 'role',
  options: Blocks,
  names: string,
) {
  return z.discriminatedUnion(key, options, { error: () => `expected one of ${names}` })
}

const inputContent = z.union([z.string(), list(oneOf('type', [textBlock, imageBlock], 'text, image'))])
const assistantContent = z.union([
  z.string(),
  list(oneOf('type', [textBlock, thinkingBlock, toolUseBlock, imageBlock], 'text, thinking, tool_use, image')),
])

const systemMessage = z.object({ role: z.literal('system'), content: z.string() })
const userMessage = z.object({ role: z.literal('user'), content: inputContent })
const assistantMessage = z.object({ role: z.literal('assistant'), content: assistantContent })
const toolMessage = z.object({ role: z.literal('tool'), toolCallId, content: inputContent })
const permissionMessage = toolPermission.extend({ reason: absentable(z.string()) })

const historyMessage = oneOf(
  'role',
  [systemMessage, userMessage, assistantMessage, toolMessage],
  'system, user, assistant, tool',
)
const turnMessage = oneOf('role', [userMessage, toolMessage, permissionMessage], 'user, tool, tool_permission')

const toolRefs = list(z.object({ name: z.string(), trust: absentable(z.boolean()) }), MOST_TOOLS)
const agentConfig = z.object({ name: z.string(), tools: absentable(toolRefs), options: absentable(stringMap) })
const agentOverride = z.object({
  name: absentable(z.string()),
  tools: absentable(toolRefs),
  options: absentable(stringMap),
})

const toolHead = { name: z.string().min(1), title: absentable(z.string()), description: z.string() }
const toolSpecV3 = z.object({ ...toolHead, parameters: jsonObject })
const toolSpecV1 = z
  .object({ ...toolHead, inputSchema: jsonObject })
  .transform(({ inputSchema, ...head }) => ({ ...head, parameters: inputSchema }))

const streamMode = absentable(z.enum(STREAM_MODES))

function createSession(toolSpec: typeof toolSpecV3 | typeof toolSpecV1) {
  return z.object({
    agent: agentConfig,
    messages: absentable(list(historyMessage)),
    tools: absentable(list<ToolSpec>(toolSpec, MOST_TOOLS)),
    stream: streamMode,
  })
}

function turn(toolSpec: typeof toolSpecV3 | typeof toolSpecV1) {
  return z.object({
    agent: absentable(agentOverride),
    // One input, or the answers to the calls that wait.
    messages: list(turnMessage, MOST_ANSWERS),
    tools: absentable(list<ToolSpec>(toolSpec, MOST_TOOLS)),
    stream: streamMode,
  })
}

const createSessionV3 = createSession(toolSpecV3).omit({ stream: true })

export const requestSchemas = {
  createSession: createSessionV3,
  /** Version 1 creates a session and runs its first turn in one request. */
  createAndRun: createSession(toolSpecV1),
  turn: { 3: turn(toolSpecV3), 1: turn(toolSpecV1) } satisfies Record<AapVersion, unknown>,
}

export interface ToolSpec {
  readonly name: string
  readonly title?: string | undefined
  readonly description: string
  readonly parameters: JsonObject
}

export type InputContent = z.output<typeof inputContent>
export type AssistantMessageContent = z.output<typeof assistantContent>
export type HistoryMessage = z.output<typeof historyMessage>
export type TurnMessage = z.output<typeof turnMessage>
export type AgentOverride = z.output<typeof agentOverride>
export type CreateSessionRequest = z.output<typeof createSessionV3>

/** For a union, the branch that matched deepest: `content[0].url` says more than `content`. */
export function firstIssue(issues: readonly z.core.$ZodIssue[]): {
  readonly path: PropertyKey[]
  readonly message: string
} {
  const [issue] = issues
  if (issue === undefined) return { path: [], message: 'not valid' }
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return { path: issue.path, message: issue.message }
  const branches = issue.errors.map((branch) => firstIssue(branch))
  const deepest = branches.reduce((best, branch) => (branch.path.length > best.path.length ? branch : best))
  const message = deepest.path.length === 0 ? branches.map((branch) => branch.message).join(' or ') : deepest.message
  return { path: [...issue.path, ...deepest.path], message }
}
