import { createTestEngine } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { asSessionId, asUserId } from '../ids.ts'
import type { Attachment, SessionReader } from '../events/session-reader.ts'
import { SessionFollower, UNHURRIED } from '../engine/session-follower.ts'

const reader: SessionReader = { recorded: () => undefined, delta: () => undefined, closed: () => undefined }

/** An engine whose attachments come when the test says so, and which counts those that are held. */
function createFollower() {
  const { engine } = createTestEngine()
  const gates: PromiseWithResolvers<void>[] = []
  let held = 0
  const slow = {
    ...engine,
    async attach(): Promise<Attachment> {
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      await gate.promise
      held += 1
      return { detach: () => void (held -= 1) }
    },
  }
  const place = { userId: asUserId('ann'), sessionId: asSessionId('x') }
  const follower = new SessionFollower({ engine: slow, ...place, pace: UNHURRIED })
  return { follower, gates, held: () => held }
}

describe('a follower of a session', () => {
  it('detached before its attachment came gives that back', async () => {
    const { follower, gates, held } = createFollower()
    const attached = follower.follow(0, reader)
    follower.detach()
    gates[0]?.resolve()
    await attached
    expect(held()).toBe(0)
  })

  it('keeps only the newest attachment, in any order', async () => {
    const { follower, gates, held } = createFollower()
    const attached = [follower.follow(0, reader)]
    follower.detach()
    attached.push(follower.follow(0, reader))
    gates[1]?.resolve()
    gates[0]?.resolve()
    await Promise.all(attached)
    expect(held()).toBe(1)
    follower.detach()
    expect(held()).toBe(0)
  })

  it('never attaches after it was closed', async () => {
    const { follower, gates } = createFollower()
    follower.close()
    await follower.follow(0, reader)
    expect(gates).toEqual([])
  })
})
