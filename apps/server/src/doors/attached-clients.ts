import type { AttachedClient } from './door.ts'

/** The clients of a door that has no list of its own. */
export interface AttachedClients {
  list(): readonly AttachedClient[]
  /** Returns what to call when the client has gone; calling that twice is harmless. */
  enter(client: AttachedClient, cursor?: () => number | undefined): () => void
}

export function createAttachedClients(): AttachedClients {
  const clients = new Map<AttachedClient, (() => number | undefined) | undefined>()
  return {
    list: () => [...clients].map(([client, cursor]) => withCursor(client, cursor?.())),
    enter(client, cursor) {
      clients.set(client, cursor)
      return () => void clients.delete(client)
    },
  }
}

const withCursor = (client: AttachedClient, cursor: number | undefined): AttachedClient =>
  cursor === undefined ? client : { ...client, cursor }
