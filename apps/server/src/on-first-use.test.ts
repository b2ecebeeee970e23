import { expect, it } from 'vitest'
import { onFirstUse } from './on-first-use.ts'

it('makes its value once, when somebody asks for it', async () => {
  let count = 0
  const counter = onFirstUse(async () => ++count)
  expect([counter.made, count]).toEqual([undefined, 0])
  expect(await Promise.all([counter.make(), counter.make()])).toEqual([1, 1])
  expect([await counter.make(), counter.made, count]).toEqual([1, 1, 1])
})

it('tries again after a failure', async () => {
  let attempts = 0
  const second = onFirstUse(async () => {
    attempts += 1
    if (attempts === 1) throw new Error('not yet')
    return attempts
  })
  await expect(second.make()).rejects.toThrow('not yet')
  expect(second.made).toBeUndefined()
  expect(await second.make()).toBe(2)
})
