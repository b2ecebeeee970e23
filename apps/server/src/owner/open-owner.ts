import { setTimeout as delay } from 'node:timers/promises'
import type { ServeOptions } from '../serve-options.ts'
import { connectOwner } from './connect-owner.ts'
import type { OwnerConnection } from './owner-connection.ts'
import { OwnedByAnother } from './owned-by-another.ts'

/** How often to retry while another process holds the lock without listening: it is starting or stopping. */
const LOOK_AGAIN_MS = 50
const PATIENCE_MS = 35_000
/** For the first answer of this process itself, which loads its routes: on a busy machine that takes many seconds. */
const OWN_ANSWER_MS = 60_000

/** Connects to the running owner. Without one, this process becomes the owner, without a TCP listener. */
export async function openOwner(options: ServeOptions): Promise<OwnerConnection> {
  const givesUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    const running = await connectOwner(options.dataDir)
    if (running !== undefined) return running
    try {
      return await becomeOwner(options)
    } catch (error) {
      if (!(error instanceof OwnedByAnother) || performance.now() > givesUpAt) throw error
    }
    await delay(LOOK_AGAIN_MS)
  }
}

async function becomeOwner(options: ServeOptions): Promise<OwnerConnection> {
  const { listen: _listen, ...withoutListener } = options
  // Loaded late: usually another process is the owner.
  const { serve } = await import('../serve.ts')
  const server = await serve(withoutListener)
  const connection = await connectToSelf(options.dataDir).catch(async (error: unknown) => {
    // Otherwise the process stays, because its server listens.
    await server.stop(0)
    throw error
  })
  return {
    pid: connection.pid,
    request: (method, path, request) => connection.request(method, path, request),
    embedded: true,
    async close() {
      await connection.close()
      await server.stop()
    },
  }
}

async function connectToSelf(dataDir: string): Promise<OwnerConnection> {
  const connection = await connectOwner(dataDir, OWN_ANSWER_MS)
  if (connection === undefined) throw new Error('our own owner socket does not answer')
  return connection
}
