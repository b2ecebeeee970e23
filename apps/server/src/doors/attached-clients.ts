import type { AttachedClient } from './door.ts'

/** The clients of a door that has no list of its own. */
export interface AttachedClients {
  list(): readonly AttachedClient[]
  /** Returns what to call when the client has gone; calling that twice is harmless. */
  enter(client: AttachedClient): () => void
}

export function createAttachedClients(): AttachedClients {
  const clients = new Set<AttachedClient>()
  return {
    list: () => [...clients],
    enter(client) {
      clients.add(client)
      return () => void clients.delete(client)
    },
  }
}
