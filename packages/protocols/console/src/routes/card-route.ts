import { asSessionId } from '@polylogue/engine'
import { Hono } from 'hono'
import { answerRefusal, type NodeEnv } from './answer-operations.ts'
import { findCard } from './card-answers.ts'
import type { ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

export const CARD_PATH = '/sessions/:id/cards/:call'

/**
 * A card runs scripts of its own and reaches nothing: no network, no forms, no page around it, no storage of ours. A
 * browser checks every page above the frame: in an embedded session that is our page and the host around it.
 */
const cardPolicy = (embedHosts: readonly string[]): string =>
  [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "webrtc 'block'",
    "base-uri 'none'",
    "form-action 'none'",
    ["frame-ancestors 'self'", ...embedHosts].join(' '),
  ].join('; ')

type CardDeps = Pick<ConsoleDeps, 'engine' | 'events' | 'cardCodes' | 'embedHosts'>

/**
 * The HTML that a tool gave for people, for an iframe of our own page alone. The code in the address is the permission,
 * and works once: whoever learns the address later gets nothing, and the frame needs no cookie.
 */
export function createCardRoute({ engine, events, cardCodes, embedHosts }: CardDeps): Hono<NodeEnv> {
  const policy = cardPolicy(embedHosts)
  const routes = new Hono<NodeEnv>()
  routes.get(CARD_PATH, async (c) => {
    try {
      const code = c.req.query('code')
      if (code === undefined) throw new Refusal(401, 'Unauthorized')
      // Browsers set it, and scripts cannot: a card is never a page of its own and never read by a script.
      if (c.req.header('sec-fetch-dest') !== 'iframe') throw new Refusal(403, 'A card is shown in the console only.')
      const card = { sessionId: asSessionId(c.req.param('id')), toolCallId: c.req.param('call') }
      const userId = await cardCodes.redeem(code, card)
      if (userId === undefined) throw new Refusal(401, 'The address of a card works once. Open the card again.')
      await engine.readSession(userId, card.sessionId, 'guest')
      const html = await findCard(events, card)
      if (html === undefined) throw new Refusal(404, 'No such card.')
      return c.body(html, 200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        // Older browsers know nothing finer. Those that read the policy ignore it.
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
