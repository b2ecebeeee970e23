import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Owner } from '../with-owner.ts'

const LOOK_AGAIN_MS = 250

const ended = z.looseObject({
  type: z.literal('compaction.ended'),
  outcome: z.string(),
  tokensAfter: z.number().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
})

/** Summarizes the conversation for the model. Returns a sentence about how it went. */
export async function compactSession({ console }: Owner, id: string, signal: AbortSignal): Promise<string> {
  const { events: after } = await console.readSession({ id, query: { messages: '0' } })
  await console.compactSession({ id })
  for (;;) {
    const { events } = await console.readEvents({ id, query: { after, type: 'compaction.ended' } })
    const found = ended.safeParse(events[0]?.event)
    if (found.success) return describe(found.data)
    if (signal.aborted) return 'The conversation is still being summarized.'
    await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined)
  }
}

function describe({ outcome, tokensAfter, error }: z.output<typeof ended>): string {
  if (outcome === 'failed') return `The summary failed: ${error?.message ?? 'the model gave none'}`
  return tokensAfter === undefined ? 'Summarized.' : `Summarized. The context has about ${tokensAfter} tokens now.`
}
