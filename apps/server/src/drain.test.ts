import { expect, it } from 'vitest'
import { createDrain } from './drain.ts'

function createSteps() {
  const steps: string[] = []
  const settled = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const drain = createDrain({
    begin: () => void steps.push('begin'),
    settle(graceMs) {
      steps.push(`settle ${graceMs}`)
      return settled.promise
    },
    endConnections() {
      steps.push('end connections')
      return ended.promise
    },
    async finish() {
      steps.push('finish')
    },
  })
  return { steps, settled, ended, drain }
}

it('waits for what runs, then for the connections, then closes', async () => {
  const { steps, settled, ended, drain } = createSteps()
  const stopped = drain.stop(30_000)
  expect(steps).toEqual(['begin', 'settle 29000'])
  settled.resolve()
  ended.resolve()
  await stopped
  expect(steps).toEqual(['begin', 'settle 29000', 'end connections', 'finish'])
})

it('stops once for repeated requests', async () => {
  const { steps, settled, ended, drain } = createSteps()
  settled.resolve()
  ended.resolve()
  await Promise.all([drain.stop(), drain.stop(), drain.stopped])
  await drain.stop()
  expect(steps).toEqual(['begin', 'settle 29000', 'end connections', 'finish'])
})

it('a second call with 0 ends the waiting, also when nothing ever settles', async () => {
  const { steps, drain } = createSteps()
  const stopped = drain.stop(30_000)
  await drain.stop(0)
  await stopped
  expect(steps).toEqual(['begin', 'settle 29000', 'settle 0', 'end connections', 'finish'])
})

it('never takes longer than the grace and the moment to give up', async () => {
  const { drain } = createSteps()
  const startedAt = performance.now()
  await drain.stop(100)
  expect(performance.now() - startedAt).toBeLessThan(1_500)
})

it('a failure to close reaches the caller of stop', async () => {
  const drain = createDrain({
    begin: () => undefined,
    settle: async () => undefined,
    endConnections: async () => undefined,
    finish: () => Promise.reject(new Error('the lock is gone')),
  })
  await expect(drain.stop(0)).rejects.toThrow('the lock is gone')
})
