import { asSessionId, asUserId, type Attachment, type SessionReader } from '@polylogue/engine'
import { createTestEngine } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { UNHURRIED } from './paced-reader.ts'
import { Subscription } from './subscription.ts'

const reader: SessionReader = { recorded: () => undefined, delta: () => undefined, closed: () => undefined }

/** An engine whose attachments come when the test says so, and which knows how many are held. */
function subscribe() {
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
  const subscription = new Subscription(
    { engine: slow, userId: asUserId('ann'), sessionId: asSessionId('x') },
    UNHURRIED,
  )
  return { subscription, gates, held: () => held }
}

describe('a subscription', () => {
  it('that was let go before its attachment came lets that go too', async () => {
    const { subscription, gates, held } = subscribe()
    const attached = subscription.attach(0, reader)
    subscription.detach()
    gates[0]?.resolve()
    await attached
    expect(held()).toBe(0)
  })

  it('holds the newest attachment only, whichever comes first', async () => {
    const { subscription, gates, held } = subscribe()
    const attached = [subscription.attach(0, reader)]
    subscription.detach()
    attached.push(subscription.attach(0, reader))
    gates[1]?.resolve()
    gates[0]?.resolve()
    await Promise.all(attached)
    expect(held()).toBe(1)
    subscription.detach()
    expect(held()).toBe(0)
  })

  it('that is closed never attaches again', async () => {
    const { subscription, gates } = subscribe()
    subscription.close()
    await subscription.attach(0, reader)
    expect(gates).toEqual([])
  })
})
