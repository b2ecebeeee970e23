import { createFakeClock } from '@polylogue/testkit'
import { EventEmitter } from 'node:events'
import type { Socket } from 'socket.io'
import { describe, expect, it } from 'vitest'
import { watchOutBuffer } from './out-buffer.ts'

const LIMIT = 1_000

/** A connection as Engine.IO has it, whose kernel takes as much as the test says. */
function openConnection() {
  const clock = createFakeClock()
  const handle = { bytesWritten: 0, writeQueueSize: 0 }
  const transport = Object.assign(new EventEmitter(), { socket: { _socket: { _handle: handle } } })
  const connection = Object.assign(new EventEmitter(), { transport })
  const told: string[] = []
  const buffer = watchOutBuffer(connection as unknown as Socket['conn'], {
    clock,
    limitBytes: LIMIT,
    drained: () => told.push('drained'),
    tooSlow: () => told.push('too slow'),
  })
  return {
    told,
    hold: (bytes: number) => buffer.hold(bytes),
    write(bytes: number) {
      connection.emit('packetCreate', { data: 'x'.repeat(bytes) })
      connection.emit('flush')
      handle.bytesWritten += bytes
      handle.writeQueueSize += bytes
    },
    takes: (bytes: number) => (handle.writeQueueSize -= bytes),
    drains() {
      handle.writeQueueSize = 0
      transport.emit('drain')
    },
    wait: (seconds: number) => clock.advance(seconds * 1_000),
  }
}

describe('what waits for a client', () => {
  it('may stay within the limit, or two of the largest packets, for any time', () => {
    const connection = openConnection()
    connection.write(LIMIT)
    connection.wait(60)
    connection.drains()
    connection.write(5 * LIMIT)
    connection.hold(5 * LIMIT)
    connection.wait(60)
    expect(connection.told).toEqual(['drained'])
  })

  it('may be more while the client takes some of it every five seconds', () => {
    const connection = openConnection()
    for (const bytes of [600, 600, 600]) connection.write(bytes)
    for (let second = 0; second < 60; second += 4) {
      connection.takes(10)
      connection.write(20)
      connection.wait(4)
    }
    expect(connection.told).toEqual([])
  })

  it('is too much when the client takes nothing for five seconds', () => {
    const connection = openConnection()
    for (const bytes of [600, 600, 600]) connection.write(bytes)
    connection.wait(4)
    expect(connection.told).toEqual([])
    connection.wait(2)
    expect(connection.told).toEqual(['too slow'])
  })

  it('is too much when it waits behind a packet that the client does not take', () => {
    const connection = openConnection()
    connection.write(5 * LIMIT)
    connection.hold(6 * LIMIT)
    connection.wait(6)
    expect(connection.told).toEqual(['too slow'])
  })

  it('is not too much when the client has taken all that it was given', () => {
    const connection = openConnection()
    connection.hold(6 * LIMIT)
    connection.wait(60)
    expect(connection.told).toEqual([])
    connection.write(LIMIT)
    connection.wait(11)
    expect(connection.told).toEqual(['too slow'])
  })

  it('is too much at once when it is 32 times the limit', () => {
    const connection = openConnection()
    connection.hold(32 * LIMIT)
    expect(connection.told).toEqual([])
    connection.hold(32 * LIMIT + 1)
    connection.hold(33 * LIMIT)
    expect(connection.told).toEqual(['too slow'])
  })
})
