import { createFakeClock } from '@polylogue/testkit'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createLargeBodies } from './large-bodies.ts'

/** Storing them takes as long as they are parsed here. */
const BYTES = (10 / 15) * 1024 * 1024

function open() {
  const clock = createFakeClock()
  const users = new WeakMap<IncomingMessage, string>()
  let time = 0
  const bodies = createLargeBodies({ clock, userOf: (incoming) => users.get(incoming) ?? '', now: () => time })
  const admit = (user: string) => {
    const incoming = new IncomingMessage(new Socket())
    users.set(incoming, user)
    return bodies.admit(incoming)
  }
  const parsed: string[] = []
  const parse =
    (name: string, ms = 10) =>
    () => {
      time += ms
      parsed.push(name)
    }
  return { clock, admit, parse, parsed }
}

it('a third body of a user waits until one of the first two is done', async () => {
  const { admit, parsed } = open()
  const [first] = [await admit('ann'), await admit('ann')]
  const third = admit('ann').then(() => parsed.push('third'))
  await admit('ben')
  await new Promise((resolve) => setImmediate(resolve))
  expect(parsed).toEqual([])
  first?.leave()
  await third
})

it('bodies are parsed one at a time with a pause, of a different user each time', async () => {
  const { admit, parse, parsed, clock } = open()
  const [ann, ben] = [[await admit('ann'), await admit('ann')], [await admit('ben')]] as const
  const done = [
    ann[0]?.parse(BYTES, parse('ann 1')),
    ann[1]?.parse(BYTES, parse('ann 2')),
    ben[0]?.parse(BYTES, parse('ben 1')),
  ]
  expect(parsed).toEqual(['ann 1'])
  clock.advance(59)
  expect(parsed).toEqual(['ann 1'])
  clock.advance(1)
  expect(parsed).toEqual(['ann 1', 'ben 1'])
  clock.advance(60)
  expect(parsed).toEqual(['ann 1', 'ben 1', 'ann 2'])
  clock.advance(5)
  await Promise.all(done)
})

it('what is done with a body does not follow at once on parsing it', async () => {
  const { admit, parsed, clock } = open()
  const body = await admit('ann')
  const done = body.parse(BYTES, () => parsed.push('parsed')).then(() => parsed.push('done'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(parsed).toEqual(['parsed'])
  clock.advance(5)
  await done
  expect(parsed).toEqual(['parsed', 'done'])
})

it('a body that cannot be parsed rejects, and the next one gets its turn', async () => {
  const { admit, parse, parsed, clock } = open()
  const [one, two] = [await admit('ann'), await admit('ann')]
  const bad = one.parse(BYTES, () => {
    throw new Error('bad')
  })
  const good = two.parse(BYTES, parse('good'))
  await expect(bad).rejects.toThrow('bad')
  clock.advance(1)
  clock.advance(5)
  await good
  expect(parsed).toEqual(['good'])
})
