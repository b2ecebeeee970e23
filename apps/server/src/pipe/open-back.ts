import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { OwnedByAnother } from '../owner/owned-by-another.ts'
import { ownerAddressOf } from '../platform/host.ts'
import type { RunningServer, ServeOptions } from '../serve-options.ts'
import type { Back } from './back.ts'
import { connectPipe, type PipeRequest } from './connect-pipe.ts'

export interface OpenedBack extends Back {
  /**
   * Gives the back up. `client-left`: a process that is the owner serves the other pipes until their work has ended, then
   * stops.
   */
  leave(why: 'client-left' | 'lost'): Promise<void>
}

const LOOK_AGAIN_MS = 50
/** For an owner that holds the lock but does not listen, because it is starting or leaving. */
const PATIENCE_MS = 35_000
/** A server that is being restarted gets this long to take the data directory back. */
const REPLACE_OWNER_AFTER_MS = 500
const OTHERS_LOOK_MS = 200
const GRACE_MS = 30_000
/** For turns that came another way: they go on with the next owner. */
const LAST_GRACE_MS = 500

/** Loads the server unless there is an owner, so that the first request waits less. Returns whether it was loaded. */
export async function loadServer(dataDir: string): Promise<boolean> {
  if (existsSync(ownerAddressOf(dataDir).path)) return false
  await importServe()
  return true
}

/** Connects to the owner of the data directory, or becomes it if there is none. `undefined`: the client left meanwhile. */
export async function openBack(
  options: ServeOptions,
  request: PipeRequest,
  { left, isFirst }: { readonly left: () => boolean; readonly isFirst: boolean },
): Promise<OpenedBack | undefined> {
  const startedAt = performance.now()
  for (;;) {
    const pipe = await connectPipe(options.dataDir, request)
    if (pipe !== undefined) return { ...pipe, leave: async () => undefined }
    if (left()) return undefined
    const waitedMs = performance.now() - startedAt
    try {
      if (isFirst || waitedMs >= REPLACE_OWNER_AFTER_MS) return await becomeOwner(options, request)
    } catch (error) {
      if (!(error instanceof OwnedByAnother) || waitedMs > PATIENCE_MS) throw error
    }
    await delay(LOOK_AGAIN_MS)
  }
}

async function becomeOwner(options: ServeOptions, { door, handshake }: PipeRequest): Promise<OpenedBack> {
  const { serve } = await importServe()
  const server = await serve({ ...options, handsOver: true, ownsProcess: true })
  try {
    const { input, output } = await server.openPipe(door, handshake)
    const writer = input.getWriter()
    return {
      // A write that fails also ends the output, which is where it is noticed.
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

async function leaveOwnership(server: RunningServer, why: 'client-left' | 'lost'): Promise<void> {
  // A server asked for the data directory, and this process is handing it over.
  if (why === 'lost') return server.stop(GRACE_MS)
  while (server.isBusy()) await delay(OTHERS_LOOK_MS)
  await server.stop(LAST_GRACE_MS)
}

/** Another program tries the sandbox, which takes as long as loading a part of the server. */
async function importServe(): Promise<typeof import('../serve.ts')> {
  const { detectSandbox } = await import('@polylogue/tools/light')
  // Whoever needs the answer asks again, and gets the error.
  void detectSandbox().catch(() => undefined)
  return import('../serve.ts')
}
