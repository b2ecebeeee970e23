import { asSessionId, type RecordedEvent, type SessionId } from '@polylogue/engine'
import { Hono } from 'hono'
import { answerRefusal, requireCaller, type NodeEnv } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

export const CARD_PATH = '/sessions/:id/cards/:call'

/** A card runs scripts of its own and reaches nothing: no network, no forms, no page around it, no storage of ours. */
export const CARD_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

const PAGE = 500
/** Longer text is not parsed. */
const LONGEST_TEXT = 1024 * 1024

type CardDeps = Pick<ConsoleDeps, 'engine' | 'events' | 'authenticate' | 'bodyLimits'>

/** The HTML that a tool gave for people, for an iframe of our own page alone. */
export function createCardRoute(deps: CardDeps): Hono<NodeEnv> {
  const routes = new Hono<NodeEnv>()
  routes.get(CARD_PATH, async (c) => {
    try {
      const { userId } = await requireCaller(c, deps)
      // Browsers set it, and scripts cannot: a card is never a page of its own and never read by a script.
      if (c.req.header('sec-fetch-dest') !== 'iframe') throw new Refusal(403, 'A card is shown in the console only.')
      const sessionId = asSessionId(c.req.param('id'))
      await deps.engine.readSession(userId, sessionId, 'guest')
      const html = await findCard(deps.events, sessionId, c.req.param('call'))
      if (html === undefined) throw new Refusal(404, 'No such card.')
      return c.body(html, 200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': CARD_POLICY,
        'x-frame-options': 'SAMEORIGIN',
        'cache-control': 'no-store',
      })
    } catch (error) {
      if (error instanceof Refusal) return answerRefusal(c, error)
      throw error
    }
  })
  return routes
}

async function findCard(
  events: CardDeps['events'],
  sessionId: SessionId,
  toolCallId: string,
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
