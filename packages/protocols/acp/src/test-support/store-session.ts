import type { SessionId } from '@polylogue/engine'
import type { createFakeParts } from '@polylogue/testkit'
import type { openWorld, WorldParts } from './open-world.ts'

type World = ReturnType<typeof openWorld<ReturnType<typeof createFakeParts> & WorldParts>>

export const isHistory = (kind: string): boolean => /_chunk$|^tool_call|^plan$/.test(kind)

/** Creates a session, says `texts` in it and leaves. */
export async function storeSession(
  world: World,
  texts: readonly string[] = ['hello'],
  cwd = world.cwd,
): Promise<SessionId> {
  const { client, newSession, say } = await world.connect()
  const sessionId = await newSession({ cwd })
  for (const text of texts) {
    await say(sessionId, text)
    world.clock.advance(1_000)
  }
  await client.leave()
  return sessionId as SessionId
}
