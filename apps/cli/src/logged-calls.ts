// What the log of a session says of its calls beyond the conversation. Entries of other kinds are passed over.
import { z } from 'zod'

export const logPage = z.object({ events: z.array(z.unknown()), next: z.number().optional() })

const diff = z.object({ path: z.string(), oldText: z.string().optional() })
const inspection = z.object({ preview: z.object({ diffs: z.array(diff).default([]) }).optional() })

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('step.answered'),
    routes: z.record(z.string(), z.string()),
    loopId: z.string().optional(),
    inspections: z.record(z.string(), inspection).default({}),
  }),
  z.object({
    type: z.literal('loop.started'),
    loopId: z.string(),
    agent: z.string(),
    description: z.string(),
  }),
  z.object({ type: z.literal('approval.requested'), toolCallId: z.string(), reason: z.string().optional() }),
])
const entry = z.object({ event })

export interface LoggedCall {
  readonly route: string
  readonly reason?: string
  readonly subAgent?: { readonly agent: string; readonly description: string }
  readonly isNewFile?: boolean
}

export type LoggedCalls = ReadonlyMap<string, LoggedCall>

export function foldLog(entries: readonly unknown[]): LoggedCalls {
  const calls = new Map<string, LoggedCall>()
  const loops = new Map<string, { agent: string; description: string }>()
  for (const one of entries) {
    const parsed = entry.safeParse(one)
    if (!parsed.success) continue
    const fact = parsed.data.event
    switch (fact.type) {
      case 'loop.started':
        loops.set(fact.loopId, { agent: fact.agent, description: fact.description })
        break
      case 'step.answered':
        for (const [id, route] of Object.entries(fact.routes)) {
          const [change] = fact.inspections[id]?.preview?.diffs ?? []
          const subAgent = fact.loopId === undefined ? undefined : loops.get(fact.loopId)
          calls.set(id, {
            route,
            ...(subAgent && { subAgent }),
            ...(change && { isNewFile: change.oldText === undefined }),
          })
        }
        break
      case 'approval.requested': {
        const call = calls.get(fact.toolCallId)
        if (call && fact.reason !== undefined) calls.set(fact.toolCallId, { ...call, reason: fact.reason })
        break
      }
    }
  }
  return calls
}
