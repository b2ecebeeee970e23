import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { RefusalWords } from '../doors/find-door.ts'
import { onFirstUse } from '../on-first-use.ts'
import type { Phase } from '../phase.ts'
import type { AccessPolicy } from './access-policy.ts'
import type { AnswerError } from './answer-error.ts'
import { sendPreflight, setCorsHeaders } from './cors.ts'
import { drainWhenSent } from './drain-body.ts'
import { beginTrail, type RequestTrail } from './request-trail.ts'
import { sendJson } from './send-json.ts'
import type { OpenAnswers } from './open-answers.ts'
import { cutWhenStalled } from './stalled-answer.ts'

/** Longer than any pause of a client that means to go on reading. */
const STALLED_MS = 30_000

export type HttpApp = Hono<{ Bindings: HttpBindings }>

/** Called when the answer has left, or when nobody is there any more to take it. */
export type RequestObserver = (trail: RequestTrail, incoming: IncomingMessage, outgoing: ObservedAnswer) => void

export type ObservedAnswer = Pick<ServerResponse, 'headersSent' | 'statusCode' | 'writableFinished'>

export interface RequestListenerDeps {
  readonly policy: Pick<AccessPolicy, 'judge'>
  readonly words: RefusalWords
  readonly ended: RequestObserver
  readonly direct: readonly DirectRoute[]
  readonly quick: readonly QuickLane[]
  readonly phase: () => Phase
  readonly answerError: AnswerError
  /** Where they are counted, if they may have to end all at once. */
  readonly open?: OpenAnswers
}

/** Requests that are answered on Node's own objects, without the router. */
export interface DirectRoute {
  /** Ends with a slash. All paths that begin with it. */
  readonly path: string
  handle(incoming: IncomingMessage, outgoing: ServerResponse): void
}

/** Finds the routes for frequent requests. The router has the same ones, for every other spelling of their paths. */
export interface QuickLane {
  find(method: string, url: string): QuickRequest | undefined
}

export interface QuickRequest {
  /** Of the route. */
  readonly pattern: string
  answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>
}

/** What happens to a request before any route sees it. The first one that needs the router loads it. */
export function createRequestListener(app: () => Promise<HttpApp>, deps: RequestListenerDeps): RequestListener {
  const { policy, words, ended, direct, phase, open } = deps
  const router = onFirstUse(async () => {
    const [routes, { getRequestListener }] = await Promise.all([app(), import('@hono/node-server')])
    return getRequestListener((request, bindings) => routes.fetch(request, bindings))
  })
  const route = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    try {
      const answer = router.made ?? (await router.make())
      await answer(incoming, outgoing)
    } catch (error) {
      sendError(error, { incoming, outgoing, answerError: deps.answerError })
    }
  }
  return (incoming, outgoing) => {
    const trail = beginTrail(incoming)
    // Not `once`: it happens once anyway, and open streams are many.
    outgoing.on('close', () => {
      open?.delete(outgoing)
      ended(trail, incoming, outgoing)
    })
    open?.add(outgoing)
    cutWhenStalled(outgoing, STALLED_MS)
    const verdict = policy.judge(incoming)
    if (!verdict.allowed) {
      trail.route = 'refused'
      // The body stays unread, so the connection cannot be used again.
      outgoing.shouldKeepAlive = false
      const { status, error: message } = verdict
      sendJson(outgoing, status, words(incoming.url ?? '', { status, message }))
      return
    }
    if (verdict.crossOrigin !== undefined) setCorsHeaders(outgoing, verdict.crossOrigin)
    if (incoming.method === 'OPTIONS' && incoming.headers['access-control-request-method'] !== undefined) {
      trail.route = 'preflight'
      sendPreflight(outgoing)
      return
    }
    const found = phase() === 'ready' ? findQuick(deps.quick, incoming) : undefined
    if (found !== undefined) {
      trail.route = found.pattern
      void answerQuickly(found, { incoming, outgoing, answerError: deps.answerError })
      return
    }
    const path = `${incoming.url?.split('?', 1)[0] ?? ''}/`
    const taker = direct.find((candidate) => path.startsWith(candidate.path))
    if (taker !== undefined) {
      trail.route = taker.path
      taker.handle(incoming, outgoing)
      return
    }
    void route(incoming, outgoing)
  }
}

function findQuick(lanes: readonly QuickLane[], { method = '', url = '' }: IncomingMessage): QuickRequest | undefined {
  for (const lane of lanes) {
    const found = lane.find(method, url)
    if (found !== undefined) return found
  }
  return undefined
}

async function answerQuickly(request: QuickRequest, { incoming, outgoing, answerError }: Quick): Promise<void> {
  try {
    await request.answer(incoming, outgoing)
  } catch (error) {
    if (!sendError(error, { incoming, outgoing, answerError })) return
  }
  if (!incoming.complete) drainWhenSent(incoming, outgoing)
}

/** `false`: an answer has begun, so its connection was cut. */
function sendError(error: unknown, { incoming, outgoing, answerError }: Quick): boolean {
  const { status, body, headers } = answerError(error, incoming)
  if (outgoing.headersSent) {
    outgoing.destroy()
    return false
  }
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value)
  sendJson(outgoing, status, body)
  return true
}

interface Quick {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly answerError: AnswerError
}
