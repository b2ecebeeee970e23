import type { GivenAnswer } from '@polylogue/engine'
import { z } from 'zod'
import type { AskUserAnswer } from '../wire.ts'

const KIND = 'ask_user_answer'

const answer = z.object({
  type: z.literal(KIND),
  tool_call_id: z.string(),
  selections: z.record(z.string(), z.array(z.number())),
  custom: z.record(z.string(), z.string()),
})

/** How this door records an answer. The mark tells it from answers of other doors. */
export function toGivenAnswer({ tool_call_id, selections, custom }: AskUserAnswer): GivenAnswer {
  const chosen = Object.fromEntries(Object.entries(selections).map(([question, indexes]) => [question, [...indexes]]))
  return { type: KIND, tool_call_id, selections: chosen, custom }
}

/** Returns `undefined` for an answer of another door. */
export function fromGivenAnswer(given: GivenAnswer | undefined): AskUserAnswer | undefined {
  const parsed = answer.safeParse(given)
  if (!parsed.success) return undefined
  const { tool_call_id, selections, custom } = parsed.data
  return { tool_call_id, selections, custom }
}
