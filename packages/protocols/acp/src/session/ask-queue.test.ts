import { asToolCallId, type LogEntry } from '@polylogue/engine'
import { untilQuiet } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { RequestAbandoned } from '../rpc/rpc-error.ts'
import { AskQueue } from './ask-queue.ts'

/** A queue whose asks end when the test says so. */
function openQueue() {
  const asked: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const logged: LogEntry[] = []
  const queue = new AskQueue((entry) => void logged.push(entry))
  const add = (id: string): void => {
    queue.add({
      toolCallId: asToolCallId(id),
      async run(signal) {
        asked.push(id)
        const end = Promise.withResolvers<void>()
        ends.set(id, end)
        signal.addEventListener('abort', () => asked.push(`${id} taken back`))
        await end.promise
      },
    })
  }
  return { queue, add, asked, ends, logged }
}

describe('a queue of asks', () => {
  it('asks one after another, and nothing twice', async () => {
    const { add, asked, ends } = openQueue()
    for (const id of ['a', 'b', 'a', 'b']) add(id)
    expect(asked).toEqual(['a'])
    ends.get('a')?.resolve()
    await untilQuiet()
    expect(asked).toEqual(['a', 'b'])
  })

  it('withdraws requests that were answered elsewhere, and skips those not sent yet', async () => {
    const { queue, add, asked, ends } = openQueue()
    for (const id of ['a', 'b', 'c']) add(id)
    queue.settle(asToolCallId('b'))
    queue.settle(asToolCallId('a'))
    ends.get('a')?.reject(new RequestAbandoned('a'))
    await untilQuiet()
    expect(asked).toEqual(['a', 'a taken back', 'c'])
  })

  it('asks again about an answered call that needs another approval', async () => {
    const { queue, add, asked, ends } = openQueue()
    add('a')
    queue.settle(asToolCallId('a'))
    add('a')
    ends.get('a')?.resolve()
    await untilQuiet()
    expect(asked).toEqual(['a', 'a taken back', 'a'])
  })

  it('continues after a failed request, and reports it', async () => {
    const { add, asked, ends, logged } = openQueue()
    for (const id of ['a', 'b']) add(id)
    ends.get('a')?.reject(new Error('broken'))
    await untilQuiet()
    expect(asked).toEqual(['a', 'b'])
    expect(logged).toMatchObject([{ level: 'error', toolCallId: 'a' }])
  })

  it('asks nothing after it was stopped', async () => {
    const { queue, add, asked, ends } = openQueue()
    for (const id of ['a', 'b']) add(id)
    queue.stop()
    ends.get('a')?.reject(new RequestAbandoned('a'))
    await untilQuiet()
    expect(asked).toEqual(['a', 'a taken back'])
  })
})
