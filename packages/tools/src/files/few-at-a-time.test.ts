import { expect, it } from 'vitest'
import { createFewAtATime } from './few-at-a-time.ts'

it('runs a limited number at once, the others in order, and continues after a failure', async () => {
  const few = createFewAtATime(2)
  const log: string[] = []
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const calls = gates.map(({ promise }, index) =>
    few.run(async () => {
      log.push(`start ${index}`)
      await promise
      log.push(`end ${index}`)
    }),
  )
  const settled = Promise.allSettled(calls)
  expect(log).toEqual(['start 0', 'start 1'])
  gates[1]?.reject(new Error('broken'))
  await expect(calls[1]).rejects.toThrow('broken')
  gates[0]?.resolve()
  await calls[0]
  expect(log).toEqual(['start 0', 'start 1', 'start 2', 'end 0', 'start 3'])
  for (const gate of gates) gate.resolve()
  await settled
  expect(log.slice(5).sort()).toEqual(['end 2', 'end 3', 'end 4', 'start 4'])
  await expect(few.run(async () => 'free again')).resolves.toBe('free again')
})
