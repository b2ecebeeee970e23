import {
  BladeClient,
  BladeSession,
  createBladeApi,
  type BladeApi,
  type BladeClientOptions,
  type BladeSessionOptions,
} from '@polylogue/blade/client'
import { io } from 'socket.io-client'

export interface BladeOptions extends Pick<
  BladeClientOptions,
  'url' | 'token' | 'reconnectAfterMs' | 'transports' | 'headers'
> {
  readonly fetch?: typeof fetch
}

export type OpenOptions = Pick<BladeSessionOptions, 'readTurns' | 'maxPages' | 'schedule'>

/** One connection to a Blade server, and its sessions as stores. */
export interface Blade {
  readonly api: BladeApi
  /** The events of all sessions, and requests without a store. */
  readonly client: BladeClient
  /** Rejects with the server's reason when it refuses the connection. Optional: `open` connects as well. */
  connect(signal?: AbortSignal): Promise<void>
  /** The session as a store, until its `close`. */
  open(sessionId: string, options?: OpenOptions): BladeSession
  close(): void
}

/** Without a token, the cookie of the page signs every request in. */
export function createBlade(options: BladeOptions = {}): Blade {
  const { url, token, fetch } = options
  const api = createBladeApi({
    ...(url !== undefined && { url }),
    ...(token !== undefined && { token }),
    ...(fetch && { fetch }),
  })
  const client = new BladeClient(io, { ...options, folds: false, resubscribes: false })
  return {
    api,
    client,
    connect: (signal) => (client.isConnected ? Promise.resolve() : client.connect(signal)),
    open(sessionId, more) {
      const session = new BladeSession({ client, api, sessionId, ...more })
      if (!client.socket.active) client.socket.connect()
      return session
    },
    close: () => client.close(),
  }
}
