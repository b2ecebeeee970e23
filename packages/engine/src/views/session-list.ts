import { z } from 'zod'
import { asSessionId, asToolCallId, asTurnId, asUserId } from '../ids.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { SessionListing } from '../ports/event-store.ts'
import type { SessionView } from '../engine/engine-api.ts'
import { isWaitingForAnswer, openCallsOf, type SessionState } from '../state/session-state.ts'

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
    ...(state.role !== undefined && { role: state.role }),
    ...(state.model !== undefined && { model: state.model }),
    directories: state.directories,
    disabledTools: state.disabledTools,
    recallsMemories: state.recallsMemories,
    isPinned: state.isPinned,
    isShared: state.isShared,
    labels: state.labels,
    queued: state.queue.length,
    ...(turn !== undefined && { turnId: turn.turnId }),
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
    case 'input.admitted':
    case 'input.dropped':
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
  role: z.string().optional(),
  model: z.string().optional(),
  // Rows that were written before there were such things lack them.
  directories: z.array(z.string()).default([]),
  disabledTools: z.array(z.string()).default([]),
  recallsMemories: z.boolean().default(true),
  isPinned: z.boolean().default(false),
  isShared: z.boolean().default(false),
  labels: z.record(z.string(), z.string()).default({}),
  queued: z.number().default(0),
  turnId: z.string().transform(asTurnId).optional(),
  status: z.enum(['idle', 'running', 'waiting']),
  lastOutcome: z
    .enum(['finished', 'token-limit', 'refused', 'step-limit', 'cancelled', 'failed', 'interrupted'])
    .optional(),
  waitingCalls: z.array(z.string().transform(asToolCallId)),
  lastSeq: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
}) satisfies z.ZodType<SessionView>

/** What a store keeps for lists: the whole view, and what it is found by. */
export function toListing(state: SessionState): { readonly summary: string; readonly listing: SessionListing } {
  const { title, directories, isPinned, isStarted } = state
  const [directory] = directories
  return {
    summary: JSON.stringify(toSessionView(state)),
    listing: {
      ...(title !== undefined && { title }),
      ...(directory !== undefined && { directory }),
      isPinned,
      isStarted,
    },
  }
}

export const readSummary = (summary: string): SessionView => summarySchema.parse(JSON.parse(summary))
