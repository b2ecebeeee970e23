import { z } from 'zod'
import { asEntryId, asLoopId, asSessionId, asToolCallId, asTurnId, asUserId } from '../ids.ts'
import type { RecordedEvent, TurnOutcome } from './recorded-event.ts'

/** The shapes of `recorded-event.ts` as rows are checked against them. The annotation at the end keeps both in step. */
const sessionId = z.string().transform(asSessionId)
const userId = z.string().transform(asUserId)
const turnId = z.string().transform(asTurnId)
const entryId = z.string().transform(asEntryId)
const toolCallId = z.string().transform(asToolCallId)
const loopId = z.string().transform(asLoopId)
/** Absent for the agent's own loop. */
const ofLoop = { loopId: loopId.optional() }
const jsonObject = z.record(z.string(), z.json())

const opaque = z.object({ model: z.string(), value: z.json() }).optional()
const text = z.object({ type: z.literal('text'), text: z.string() })
const thinking = z.object({ type: z.literal('thinking'), text: z.string(), opaque })
const image = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('url'), url: z.string() }),
    z.object({ type: z.literal('blob'), hash: z.string(), mediaType: z.string() }),
  ]),
})
const toolCall = z.object({ type: z.literal('tool-call'), toolCallId, name: z.string(), input: jsonObject, opaque })
const userContent = z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image]))])
const assistantContent = z.union([z.string(), z.array(z.discriminatedUnion('type', [text, thinking, image, toolCall]))])
const blocks = z.array(z.discriminatedUnion('type', [text, thinking, toolCall]))
const seedMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), text: z.string() }),
  z.object({ role: z.literal('user'), content: userContent }),
  z.object({ role: z.literal('assistant'), content: assistantContent }),
  z.object({ role: z.literal('tool'), toolCallId, content: userContent }),
])

const preset = z.enum(['read-only', 'workspace-write', 'full-access', 'plan'])
const access = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('listed'),
    tools: z.array(z.object({ name: z.string(), trust: z.boolean().optional() })),
  }),
  z.object({ type: z.literal('preset') }),
])
const clientTools = z.array(
  z.object({ name: z.string(), title: z.string().optional(), description: z.string(), parameters: jsonObject }),
)
const options = z.record(z.string(), z.string())
const secretOptions = z.array(z.string())
const labels = z.record(z.string(), z.string())
const names = z.array(z.string())
const settings = z.object({
  model: z.string().optional(),
  isPlanning: z.boolean().optional(),
  isUnattended: z.boolean().optional(),
  withheldTools: names.optional(),
  outputSchema: jsonObject.optional(),
  recovery: z.literal('interrupt').optional(),
  keyId: z.string().optional(),
})
const error = z.object({ code: z.string(), message: z.string() }).optional()
const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  cost: z.object({ nano: z.number(), currency: z.string() }).optional(),
})
const budget = z.object({
  scope: z.enum(['turn', 'session', 'key']),
  measure: z.enum(['tokens', 'money', 'steps', 'wallTimeMs']),
  used: z.number(),
  limit: z.number(),
  currency: z.string().optional(),
  per: z.enum(['day', 'month']).optional(),
})
const OUTCOMES = [
  'finished',
  'token-limit',
  'refused',
  'step-limit',
  'cancelled',
  'failed',
  'interrupted',
] as const satisfies readonly TurnOutcome[]
const outcome = z.enum(OUTCOMES)

const facts = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['plain', 'notes', 'skill', 'question', 'agent']) }),
  z.object({ type: z.enum(['read-files', 'write-files']), outside: z.string().optional() }),
  z.object({
    type: z.literal('shell'),
    risk: z.enum(['safe', 'other', 'sensitive', 'dangerous']),
    hardline: z.string().optional(),
    isUnderstood: z.boolean(),
    hasWrapper: z.boolean(),
    exceeds: z.string().optional(),
  }),
  z.object({ type: z.literal('fetch'), host: z.string().optional(), isPrivateAddress: z.boolean() }),
])
const preview = z.object({
  title: z.string().optional(),
  locations: z.array(z.object({ path: z.string(), line: z.number().optional() })).optional(),
  diffs: z.array(z.object({ path: z.string(), oldText: z.string().optional(), newText: z.string() })).optional(),
})
const kind = z.enum([
  'plan',
  'question',
  'agent',
  'result',
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch-mode',
  'other',
])
const inspection = z.object({ facts, preview: preview.optional() })

const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape })

export const recordedEventSchema = z.discriminatedUnion('type', [
  event('session.created', {
    sessionId,
    userId,
    agent: z.string(),
    access,
    clientTools,
    options,
    secretOptions,
    preset,
    directories: names.optional(),
    title: z.string().optional(),
    role: z.string().optional(),
    model: z.string().optional(),
    disabledTools: names.optional(),
    recallsMemories: z.boolean().optional(),
    labels: labels.optional(),
  }),
  event('session.seeded', { entryId, messages: z.array(seedMessage) }),
  event('session.configured', {
    access: access.optional(),
    clientTools: clientTools.optional(),
    options: options.optional(),
    secretOptions: secretOptions.optional(),
    preset: preset.optional(),
    title: z.string().optional(),
    model: z.string().optional(),
    disabledTools: names.optional(),
    recallsMemories: z.boolean().optional(),
    isPinned: z.boolean().optional(),
    isShared: z.boolean().optional(),
    labels: labels.optional(),
  }),
  event('input.admitted', { inputId: entryId, turnId, content: userContent, settings: settings.optional() }),
  event('input.dropped', { inputId: entryId, reason: z.string() }),
  event('turn.started', {
    turnId,
    inputId: entryId.optional(),
    parentEntryId: entryId.optional(),
    recovery: z.enum(['continue', 'interrupt']),
  }),
  event('turn.paused', { turnId }),
  event('turn.resumed', { turnId }),
  event('turn.cancel-requested', { turnId, reason: z.string() }),
  event('turn.taken-over', { turnId, count: z.number() }),
  event('turn.ended', { turnId, outcome, error, output: z.json().optional() }),
  event('step.started', {
    turnId,
    stepId: entryId,
    loopId,
    parentToolCallId: toolCallId.optional(),
    parentEntryId: entryId.optional(),
    model: z.string(),
    reservedBatches: z.number().optional(),
  }),
  event('step.answered', {
    turnId,
    ...ofLoop,
    stepId: entryId,
    blocks,
    routes: z.record(z.string(), z.enum(['server', 'client', 'question', 'agent'])),
    kinds: z.record(z.string(), kind).optional(),
    finish: z.enum(['stop', 'tool-calls', 'token-limit', 'refused']),
    usage,
    inspections: z.record(z.string(), inspection).optional(),
    liveBatches: z.number().optional(),
    by: z.literal('engine').optional(),
    budget: budget.optional(),
  }),
  event('step.ended', {
    turnId,
    ...ofLoop,
    stepId: entryId,
    outcome: z.enum(['completed', 'cancelled', 'failed', 'interrupted']),
    partial: blocks.optional(),
    error,
    usage: usage.optional(),
    liveBatches: z.number().optional(),
  }),
  event('memories.recalled', {
    turnId,
    memories: z.array(z.object({ memoryId: z.number(), content: z.string(), skillName: z.string().optional() })),
  }),
  event('compaction.requested', {}),
  event('compaction.started', {
    compactionId: entryId,
    turnId: turnId.optional(),
    ...ofLoop,
    parentEntryId: entryId.optional(),
    trigger: z.enum(['auto', 'manual', 'forced']),
    model: z.string(),
    tokensBefore: z.number(),
  }),
  event('compaction.ended', {
    compactionId: entryId,
    turnId: turnId.optional(),
    ...ofLoop,
    outcome: z.enum(['completed', 'failed']),
    summary: z.string().optional(),
    throughSeq: z.number().optional(),
    tokensAfter: z.number().optional(),
    usage: usage.optional(),
    error,
  }),
  event('loop.started', {
    turnId,
    loopId,
    parentToolCallId: toolCallId,
    parentLoopId: loopId,
    depth: z.number(),
    agent: z.string(),
    description: z.string(),
    prompt: z.string(),
  }),
  event('loop.ended', { turnId, loopId, outcome: z.enum([...OUTCOMES, 'deadline']), error }),
  event('approval.requested', {
    turnId,
    ...ofLoop,
    toolCallId,
    callHash: z.string(),
    reason: z.string().optional(),
    isCoverable: z.boolean().optional(),
    covers: z.string().optional(),
  }),
  event('approval.resolved', {
    turnId,
    ...ofLoop,
    toolCallId,
    granted: z.boolean(),
    reason: z.string().optional(),
    scope: z.enum(['once', 'session']).optional(),
    answer: jsonObject.optional(),
  }),
  event('tool-call.started', { turnId, ...ofLoop, toolCallId, attempt: z.number(), callHash: z.string() }),
  event('tool-call.cancel-requested', { turnId, ...ofLoop, toolCallId, reason: z.string() }),
  event('tool-call.settled', {
    turnId,
    ...ofLoop,
    toolCallId,
    status: z.enum(['completed', 'failed', 'denied', 'cancelled', 'unknown']),
    output: userContent,
    by: z.enum(['tool', 'client', 'engine']),
    isSuperseded: z.boolean().optional(),
    durationMs: z.number().optional(),
    meta: jsonObject.optional(),
    changedFiles: z
      .array(z.object({ path: z.string(), change: z.enum(['created', 'modified', 'deleted']) }))
      .optional(),
    answer: jsonObject.optional(),
  }),
]) satisfies z.ZodType<RecordedEvent>
