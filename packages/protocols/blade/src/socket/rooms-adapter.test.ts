import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import { io as connect } from 'socket.io-client'
import { Decoder, Encoder, type Packet } from 'socket.io-parser'
import { expect, it, onTestFinished } from 'vitest'
import { RoomsAdapter } from './rooms-adapter.ts'

/** More than one piece. */
const CLIENTS = 150

it.each([['websocket'], ['polling']] as const)(
  'one event for %s clients is encoded once and arrives everywhere, sent in any number of pieces',
  async (transport) => {
    const encoded: unknown[] = []
    class CountingEncoder extends Encoder {
      override encode(packet: Packet): ReturnType<Encoder['encode']> {
        if (Array.isArray(packet.data)) encoded.push(packet.data[0])
        return super.encode(packet)
      }
    }
    const http = createServer()
    const server = new Server(http, { adapter: RoomsAdapter, parser: { Encoder: CountingEncoder, Decoder } })
    onTestFinished(() => server.close())
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    server.on('connection', (socket) => void socket.join('room'))
    const payload = { text: 'é'.repeat(100_000) }
    const heard = Array.from({ length: CLIENTS }, () => Promise.withResolvers<unknown>())
    for (const { resolve } of heard) {
      const client = connect(url, { transports: [transport], forceNew: true })
      onTestFinished(() => void client.close())
      client.once('said', resolve)
      await new Promise<void>((connected) => client.once('connect', connected))
    }
    server.to('room').emit('said', payload)
    for (const { promise } of heard) expect(await promise).toEqual(payload)
    expect(encoded.filter((event) => event === 'said')).toHaveLength(1)
  },
)
