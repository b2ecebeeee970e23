import { asUserId } from '@polylogue/engine'
import { expect, it } from 'vitest'
import { createOpenStreams } from './open-streams.ts'

const owner = (user: string, key = `key of ${user}`) => ({ userId: asUserId(user), keyId: key })

function open(perKey: number, total: number) {
  const refusals: string[] = []
  const streams = createOpenStreams({ perKey, total, refused: (limit) => refusals.push(limit) })
  return { streams, refusals }
}

it('a key has so many streams, and one that closes makes room', () => {
  const { streams } = open(2, 100)
  const leave = streams.enter(owner('ada'))
  streams.enter(owner('ada'))
  expect(() => streams.enter(owner('ada'))).toThrow('limits.streamsPerKey')
  leave()
  leave()
  streams.enter(owner('ada'))
  expect(streams.count).toBe(2)
})

it('a user with many keys leaves the last tenth of all places to others', () => {
  const { streams, refusals } = open(10, 100)
  for (let index = 0; index < 90; index += 1) streams.enter(owner('ada', `key ${index}`))
  expect(() => streams.enter(owner('ada', 'another key'))).toThrow(
    'Your keys have 90 open streams. The last 10 that the server takes are for others (limits.streams).',
  )
  for (let index = 0; index < 10; index += 1) streams.enter(owner('bob', `bob's ${index}`))
  expect(() => streams.enter(owner('eve'))).toThrow('limits.streams')
  expect(refusals).toEqual(['streams-per-user', 'streams'])
})
