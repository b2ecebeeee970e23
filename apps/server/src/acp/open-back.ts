import { setTimeout as delay } from 'node:timers/promises'
import { OwnedByAnother } from '../owner/owned-by-another.ts'
import type { RunningServer, ServeOptions } from '../serve-options.ts'
import type { Back } from './back.ts'
import { connectPipe } from './connect-pipe.ts'
import type { AcpHandshake } from './handshake.ts'

export interface OpenedBack extends Back {
  /**
   * It is not needed any more. `editor-left`: if this process is the owner, it serves the others that hang on it until
   * their turns have ended, and then hands over.
   */
  leave(why: 'editor-left' | 'lost'): Promise<void>
}

const LOOK_AGAIN_MS = 50
/** Another process holds the lock and does not listen yet, or no more: it is starting or leaving. */
const PATIENCE_MS = 35_000
/** A server that is started again wants the data directory for itself; it gets this long. */
const REPLACE_OWNER_AFTER_MS = 500
const OTHERS_LOOK_MS = 200
const GRACE_MS = 30_000
/** Of turns that came by other ways: they go on with the next owner. */
const LAST_GRACE_MS = 500

/** The owner of the data directory; if there is none, this process becomes it. `undefined`: the editor left meanwhile. */
export async function openBack(
  options: ServeOptions,
  handshake: AcpHandshake,
  { left, isFirst }: { readonly left: () => boolean; readonly isFirst: boolean },
): Promise<OpenedBack | undefined> {
  const startedAt = performance.now()
  for (;;) {
    const pipe = await connectPipe(options.dataDir, handshake)
    if (pipe !== undefined) return { ...pipe, leave: async () => undefined }
    if (left()) return undefined
    const waitedMs = performance.now() - startedAt
    try {
      if (isFirst || waitedMs >= REPLACE_OWNER_AFTER_MS) return await becomeOwner(options, handshake)
    } catch (error) {
      if (!(error instanceof OwnedByAnother) || waitedMs > PATIENCE_MS) throw error
    }
    await delay(LOOK_AGAIN_MS)
  }
}

async function becomeOwner(options: ServeOptions, handshake: AcpHandshake): Promise<OpenedBack> {
  const { serve } = await import('../serve.ts')
  const server = await serve({ ...options, handsOver: true, ownsProcess: true })
  try {
    const { input, output } = await server.openEditor(handshake)
    const writer = input.getWriter()
    return {
      // What cannot be written any more ends what is read.
      send: (bytes) => void writer.write(bytes).catch(() => undefined),
      end: () => void writer.close().catch(() => undefined),
      output,
      leave: (why) => leaveOwnership(server, why),
    }
  } catch (error) {
    await server.stop(0)
    throw error
  }
}

async function leaveOwnership(server: RunningServer, why: 'editor-left' | 'lost'): Promise<void> {
  // Lost to a server that wanted the data directory: it is just being handed over.
  if (why === 'lost') return server.stop(GRACE_MS)
  while (server.hasOpenTurns()) await delay(OTHERS_LOOK_MS)
  await server.stop(LAST_GRACE_MS)
}
