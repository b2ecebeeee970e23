import type { SessionClient, SessionId } from '@polylogue/engine'
import type { AttachedClient, Door } from './door.ts'

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

/** Who reads a session at this node. */
export function readersOf(doors: readonly Door[], sessionId: SessionId): readonly SessionClient[] {
  return doors.flatMap((door) =>
    door
      .clients()
      .filter((client) => client.sessionId === sessionId)
      .map(({ client, keyId, since, cursor }) => ({ door: door.name, client, key: keyId, since, cursor })),
  )
}

const withCursor = (client: AttachedClient, cursor: number | undefined): AttachedClient =>
  cursor === undefined ? client : { ...client, cursor }
