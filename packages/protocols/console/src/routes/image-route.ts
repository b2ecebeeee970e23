import { BodyRefused, readJsonBody } from '@polylogue/kit'
import { Hono } from 'hono'
import { z } from 'zod'
import { answerRefusal, requireCaller, type NodeEnv } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

export const IMAGE_PATH = '/images'

const body = z.strictObject({ url: z.string().min(1).max(2048) })

type ImageDeps = Pick<ConsoleDeps, 'authenticate' | 'bodyLimits' | 'fetchImage'>

/**
 * A picture of another server, for a person who agreed to this address: `POST /images` with `{"url"}` answers its bytes. The
 * browser never talks to that server, which learns the address of this one only.
 */
export function createImageRoute(deps: ImageDeps): Hono<NodeEnv> {
  const routes = new Hono<NodeEnv>()
  routes.post(IMAGE_PATH, async (c) => {
    try {
      await requireCaller(c, deps)
      if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
        throw new Refusal(415, 'Send application/json.')
      }
      const parsed = body.safeParse(await readBody(c.env.incoming, deps))
      if (!parsed.success) throw new Refusal(400, 'url: must be a text')
      const { type, bytes } = await deps.fetchImage(parsed.data.url).catch((error: unknown) => {
        throw new Refusal(502, error instanceof Error ? error.message : String(error))
      })
      return c.body(new Uint8Array(bytes), 200, {
        'content-type': type,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
    } catch (error) {
      if (error instanceof Refusal) return answerRefusal(c, error)
      throw error
    }
  })
  return routes
}

async function readBody(incoming: NodeEnv['Bindings']['incoming'], { bodyLimits }: ImageDeps): Promise<unknown> {
  try {
    return await readJsonBody(incoming, bodyLimits.small)
  } catch (error) {
    if (error instanceof BodyRefused) throw new Refusal(error.status, error.message)
    throw error
  }
}
