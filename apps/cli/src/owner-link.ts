import { connectOwner, openOwner, type OwnerConnection, type OwnerResponse, type ServeOptions } from '@polylogue/server'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandFailure } from './command-failure.ts'
import { ExitCode } from './exit-code.ts'

/** The connection to the owner of the data directory: a running server, or this process. */
export interface OwnerLink {
  /** This process is the owner. */
  readonly isEmbedded: boolean
  /** Rejects with a `CommandFailure` when the owner does not answer. */
  request(request: OwnerRequest): Promise<OwnerResponse>
  /** Call it after the owner went away. Connects to the next owner, or makes this process the owner. */
  reconnect(): Promise<void>
  close(): Promise<void>
}

export interface OwnerRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

// A server that restarts needs the data directory for itself. This process replaces only one that does not come back.
const REPLACE_OWNER_AFTER_MS = 5_000
const LOOK_AGAIN_MS = 100
// A server that is stopping still answers, but accepts nothing.
const BEFORE_RECONNECT_MS = 250

export async function openOwnerLink(options: ServeOptions): Promise<OwnerLink> {
  let connection = await openOwner(options)
  return {
    get isEmbedded() {
      return connection.embedded
    },
    async request({ method, path, ...rest }) {
      const response = await connection.request(method, path, rest).catch(explainLoss)
      return { ...response, text: () => response.text().catch(explainLoss) }
    },
    async reconnect() {
      await delay(BEFORE_RECONNECT_MS)
      // This process is the owner: only the stream was lost, as happens to a slow reader.
      if (connection.embedded) return
      await leave(connection)
      connection = (await awaitNextOwner(options.dataDir)) ?? (await openOwner(options))
    },
    close: () => connection.close(),
  }
}

function explainLoss(cause: unknown): never {
  throw new CommandFailure('The server went away before it answered.', ExitCode.failed, { cause })
}

async function awaitNextOwner(dataDir: string): Promise<OwnerConnection | undefined> {
  for (let waitedMs = 0; waitedMs < REPLACE_OWNER_AFTER_MS; waitedMs += LOOK_AGAIN_MS) {
    const connection = await connectOwner(dataDir)
    if (connection) return connection
    await delay(LOOK_AGAIN_MS)
  }
  return undefined
}

async function leave(connection: OwnerConnection): Promise<void> {
  try {
    await connection.close()
  } catch (error) {
    // The other end is gone already.
    if (!(error instanceof Error)) throw error
  }
}
