import { asUserId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { createOpenReads } from './open-reads.ts'

const [ann, ben] = [asUserId('ann'), asUserId('ben')]

function open(perUser: number) {
  const clock = createFakeClock()
  const refusals: string[] = []
  const reads = createOpenReads({ perUser, clock, refused: (limit) => refusals.push(limit) })
  return { clock, refusals, reads }
}

async function close(outgoing: PassThrough): Promise<void> {
  const closed = once(outgoing, 'close')
  outgoing.destroy()
  await closed
}

/** Whether it has settled by now. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  const waits = Symbol('waits')
  const settled = promise.then(
    () => true,
    () => true,
  )
  await new Promise((resolve) => setImmediate(resolve))
  return (await Promise.race([settled, Promise.resolve(waits)])) !== waits
}

it('a read beyond the limit waits until another one of its user is closed, in order', async () => {
  const { reads } = open(1)
  const [first, second, third] = [new PassThrough(), new PassThrough(), new PassThrough()]
  await reads.enter(ann, first)
  const two = reads.enter(ann, second)
  const three = reads.enter(ann, third)
  await reads.enter(ben, new PassThrough())
  expect([await hasSettled(two), await hasSettled(three)]).toEqual([false, false])
  await close(first)
  await two
  expect(await hasSettled(three)).toBe(false)
  await close(second)
  await three
})

it('a read that waits too long is refused with the limit and its setting', async () => {
  const { reads, clock, refusals } = open(1)
  await reads.enter(ann, new PassThrough())
  const waits = reads.enter(ann, new PassThrough())
  clock.advance(10_000)
  await expect(waits).rejects.toMatchObject({
    code: 'too-many-reads',
    message: '1 large answers are being read at the same time, which is the limit (limits.readsPerUser)',
  })
  expect(refusals).toEqual(['reads'])
})

it('a client that leaves while it waits takes no place', async () => {
  const { reads } = open(1)
  const [first, second] = [new PassThrough(), new PassThrough()]
  await reads.enter(ann, first)
  const waits = reads.enter(ann, second).catch((error: unknown) => error)
  await close(second)
  expect(await waits).toMatchObject({ code: 'too-many-reads' })
  await close(first)
  await reads.enter(ann, new PassThrough())
})

it('work goes on to count after its client has left', async () => {
  const { reads } = open(1)
  const first = new PassThrough()
  const hold = await reads.enter(ann, first)
  const { promise: work, resolve: finish } = Promise.withResolvers<void>()
  const held = hold(() => work)
  await close(first)
  const waits = reads.enter(ann, new PassThrough())
  expect(await hasSettled(waits)).toBe(false)
  finish()
  await held
  await waits
})

it('a client that has left already takes no place', async () => {
  const { reads } = open(1)
  const gone = new PassThrough()
  await close(gone)
  await reads.enter(ann, gone)
  await reads.enter(ann, new PassThrough())
})
