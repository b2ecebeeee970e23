import { asSessionId, type EventStore, type RecordedEvent, type SessionId } from '@polylogue/engine'
import { BASE_PATH } from '../light/base-path.ts'
import type { cardOperations } from '../contract/cards.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

const PAGE = 500
/** Longer text is not parsed. */
const LONGEST_TEXT = 1024 * 1024

export function answerCards({
  engine,
  events,
  cardCodes,
}: Pick<ConsoleDeps, 'engine' | 'events' | 'cardCodes'>): Answers<typeof cardOperations> {
  return {
    async openCard({ caller: { userId }, params }) {
      const card = { sessionId: asSessionId(params.id), toolCallId: params.call }
      await engine.readSession(userId, card.sessionId, 'guest')
      if ((await findCard(events, card)) === undefined) throw new Refusal(404, 'No such card.')
      const { code, expiresAt } = await cardCodes.issue(userId, card)
      const path = `${BASE_PATH}/sessions/${encodeURIComponent(params.id)}/cards/${encodeURIComponent(params.call)}`
      return { url: `${path}?code=${code}`, expiresAt }
    },
  }
}

/** A card of a session, by the call whose result it is. */
export interface CardOf {
  readonly sessionId: SessionId
  readonly toolCallId: string
}

/** The HTML that a tool gave for people. */
export async function findCard(
  events: Pick<EventStore, 'readEvents'>,
  { sessionId, toolCallId }: CardOf,
): Promise<string | undefined> {
  for (let after = 0; ;) {
    const page = await events.readEvents(sessionId, after, PAGE)
    for (const { event } of page) {
      if (event.type === 'tool-call.settled' && event.toolCallId === toolCallId) return htmlOf(event)
    }
    const last = page.at(-1)?.seq
    if (last === undefined) return undefined
    after = last
  }
}

/** A tool sets `_meta` beside its output, or a command prints it in a JSON object. */
function htmlOf({ meta, output }: RecordedEvent & { readonly type: 'tool-call.settled' }): string | undefined {
  const printed = meta?.['ui'] === undefined && typeof output === 'string' ? parseMeta(output) : undefined
  const ui = meta?.['ui'] ?? printed
  if (typeof ui !== 'object' || ui === null || !('resourceHTML' in ui)) return undefined
  return typeof ui.resourceHTML === 'string' ? ui.resourceHTML : undefined
}

function parseMeta(text: string): unknown {
  if (text.length > LONGEST_TEXT || !text.includes('"_meta"')) return undefined
  try {
    const value = JSON.parse(text) as { readonly _meta?: { readonly ui?: unknown } } | null
    return value?._meta?.ui
  } catch {
    return undefined
  }
}
