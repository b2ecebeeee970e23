import { askOwner } from '../../support/owner-socket.ts'
import type { ServerProcess } from '../../support/server-process.ts'

/** Revokes all keys of a user at this node. */
export async function revokeKeys({ dataDir }: ServerProcess, user: string): Promise<void> {
  const { body } = await askOwner(dataDir, { method: 'GET', path: '/api/polylogue/keys' })
  for (const id of keyIdsIn(body, user)) {
    await askOwner(dataDir, { method: 'DELETE', path: `/api/polylogue/keys/${id}` })
  }
}

function keyIdsIn(body: unknown, user: string): readonly string[] {
  if (typeof body !== 'object' || body === null || !('keys' in body) || !Array.isArray(body.keys)) return []
  return body.keys.flatMap((key: unknown) => {
    const isTheirs = typeof key === 'object' && key !== null && 'id' in key && 'user' in key && key.user === user
    return isTheirs ? [String(key.id)] : []
  })
}
