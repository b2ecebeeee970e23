import { asSessionId, type Attachment, type SessionReader } from '@polylogue/engine'
import { toJsonLine, toSseFrame } from '@polylogue/kit'
import { Hono } from 'hono'
import { answerRefusal, requireCaller, type NodeEnv } from './answer-operations.ts'
import type { Caller, ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

export const PROGRESS_PATH = '/sessions/:id/progress'

/** What waits for a reader that does not read. Progress beyond it is left out: results are complete without it. */
const MOST_WAITING = 1024 * 1024

type ProgressDeps = Pick<ConsoleDeps, 'engine' | 'authenticate' | 'bodyLimits' | 'streams'>

/**
 * The output of running tools as server-sent events `progress` with `{"call", "text"}`. A late reader first gets the newest
 * part of the earlier output.
 */
export function createProgressRoute(deps: ProgressDeps): Hono<NodeEnv> {
  const routes = new Hono<NodeEnv>()
  routes.get(PROGRESS_PATH, async (c) => {
    try {
      const caller = await requireCaller(c, deps)
      await deps.engine.readSession(caller.userId, asSessionId(c.req.param('id')))
      deps.streams.admit(caller, c.env.outgoing)
      const body = await openProgress(deps.engine, caller, c.req.param('id'))
      return c.body(body, 200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    } catch (error) {
      if (error instanceof Refusal) return answerRefusal(c, error)
      throw error
    }
  })
  return routes
}

async function openProgress(
  engine: Pick<ConsoleDeps['engine'], 'readSession' | 'attach'>,
  { userId, revoked }: Caller,
  id: string,
): Promise<ReadableStream<Uint8Array>> {
  const sessionId = asSessionId(id)
  const { lastSeq } = await engine.readSession(userId, sessionId)
  const encoder = new TextEncoder()
  const { promise: opened, resolve: open } = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>()
  const held: { attachment?: Attachment } = {}
  let isOver = false
  const stream = new ReadableStream<Uint8Array>(
    { start: (controller) => open(controller), cancel: () => end() },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
  )
  const controller = await opened
  function end(): void {
    isOver = true
    held.attachment?.detach()
    revoked.removeEventListener('abort', close)
  }
  function close(): void {
    if (isOver) return
    end()
    controller.close()
  }
  revoked.addEventListener('abort', close)
  const reader: SessionReader = {
    recorded: () => undefined,
    delta: () => undefined,
    progress({ toolCallId, text }) {
      if (isOver || (controller.desiredSize ?? 0) <= 0) return
      controller.enqueue(
        encoder.encode(toSseFrame({ event: 'progress', data: toJsonLine({ call: toolCallId, text }) })),
      )
    },
    closed: close,
  }
  // Headers leave with the first bytes.
  controller.enqueue(encoder.encode(': open\n\n'))
  held.attachment = await engine.attach(userId, sessionId, { after: { seq: lastSeq }, reader })
  if (isOver) held.attachment.detach()
  return stream
}
