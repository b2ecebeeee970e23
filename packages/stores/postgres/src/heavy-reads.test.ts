import { expect, it } from 'vitest'
import { untilQuiet } from '@polylogue/testkit'
import { createHeavyReads } from './heavy-reads.ts'

function setUp() {
  const reads = createHeavyReads()
  const begun: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const read = (userId: string, name: string): Promise<string> =>
    reads.run(userId, async () => {
      begun.push(name)
      const gate = Promise.withResolvers<void>()
      gates.set(name, gate)
      await gate.promise
      return name
    })
  return {
    begun,
    read,
    end: (name: string) => gates.get(name)?.resolve(),
    fail: (name: string) => gates.get(name)?.reject(new Error('no')),
  }
}

it('two of one user run at a time, four in all, and nobody waits behind a user who has two', async () => {
  const { begun, read, end, fail } = setUp()
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'c2'].map((name) => read(name.slice(0, 1), name).catch(String))
  await untilQuiet()
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2'])
  end('b1')
  await untilQuiet()
  expect(begun.slice(4)).toEqual(['c1'])
  fail('a1')
  await untilQuiet()
  expect(begun.slice(5)).toEqual(['a3'])
  for (const name of ['a2', 'b2', 'c1', 'a3']) end(name)
  await untilQuiet()
  for (const name of ['a4', 'c2']) end(name)
  expect(await Promise.all(all)).toEqual(['Error: no', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'c2'])
})

it('more than 200 that wait are refused as busy', async () => {
  const { read } = setUp()
  for (let count = 0; count < 202; count += 1) void read('a', `a${count}`)
  await expect(read('a', 'late')).rejects.toMatchObject({ name: 'StorageFault', kind: 'busy' })
})
