import { z } from 'zod'
import { asSessionId, asToolCallId, asUserId } from '../ids.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { SessionView } from '../session/engine-api.ts'
import { isWaitingForAnswer, openCallsOf, type SessionState } from '../session/state.ts'

export function toSessionView(state: SessionState): SessionView {
  const {
    sessionId,
    userId,
    agent,
    access,
    clientTools,
    options,
    preset,
    title,
    turn,
    lastOutcome,
    createdAt,
    updatedAt,
  } = state
  return {
    sessionId,
    userId,
    agent,
    access,
    clientTools,
    options,
    preset,
    ...(title !== undefined && { title }),
    status: turn?.status ?? 'idle',
    ...(lastOutcome !== undefined && { lastOutcome }),
    waitingCalls: openCallsOf(turn)
      .filter(isWaitingForAnswer)
      .map((call) => call.toolCallId),
    lastSeq: state.seq,
    createdAt,
    updatedAt,
  }
}

/** Events after which a list shows a session differently; the others leave its row alone. */
export function changesSummary(event: RecordedEvent): boolean {
  switch (event.type) {
    case 'session.created':
    case 'session.seeded':
    case 'session.configured':
    case 'turn.started':
    case 'turn.paused':
    case 'turn.resumed':
    case 'turn.ended':
      return true
    default:
      return false
  }
}

const summarySchema = z.object({
  sessionId: z.string().transform(asSessionId),
  userId: z.string().transform(asUserId),
  agent: z.string(),
  access: z.union([
    z.object({
      type: z.literal('listed'),
      tools: z.array(z.object({ name: z.string(), trust: z.boolean().optional() })),
    }),
    z.object({ type: z.literal('preset') }),
  ]),
  clientTools: z.array(
    z.object({
      name: z.string(),
      title: z.string().optional(),
      description: z.string(),
      parameters: z.record(z.string(), z.json()),
    }),
  ),
  options: z.record(z.string(), z.string()),
  preset: z.enum(['read-only', 'workspace-write', 'full-access', 'plan']),
  title: z.string().optional(),
  status: z.enum(['idle', 'running', 'waiting']),
  lastOutcome: z
    .enum(['finished', 'token-limit', 'refused', 'step-limit', 'cancelled', 'failed', 'interrupted'])
    .optional(),
  waitingCalls: z.array(z.string().transform(asToolCallId)),
  lastSeq: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
}) satisfies z.ZodType<SessionView>

export const writeSummary = (state: SessionState): string => JSON.stringify(toSessionView(state))

export const readSummary = (summary: string): SessionView => summarySchema.parse(JSON.parse(summary))
