import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { FrameServer } from './frame-server.ts'

const FRAMES = 500

it('frames that arrive together are taken one in each turn of the event loop, in their order', async () => {
  const http = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void http.close())
  await once(http, 'listening')
  const frames = new FrameServer({ noServer: true })
  const taken = new Map<number, number>()
  const order: string[] = []
  let turn = 0
  const all = Promise.withResolvers<void>()
  http.on('upgrade', (incoming, socket, head) =>
    frames.handleUpgrade(incoming, socket, head, (server) =>
      server.on('message', (data: Buffer) => {
        if (order.length === 0) count()
        order.push(data.toString())
        taken.set(turn, (taken.get(turn) ?? 0) + 1)
        if (order.length === FRAMES) all.resolve()
      }),
    ),
  )
  const count = (): void => {
    turn += 1
    if (order.length < FRAMES) setImmediate(count)
  }
  const address = http.address()
  const client = new WebSocket(`ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
  onTestFinished(() => client.terminate())
  await once(client, 'open')
  for (let frame = 0; frame < FRAMES; frame++) client.send(String(frame))
  await all.promise
  expect(order).toEqual(Array.from({ length: FRAMES }, (_, frame) => String(frame)))
  expect(Math.max(...taken.values())).toBeLessThanOrEqual(2)
})
