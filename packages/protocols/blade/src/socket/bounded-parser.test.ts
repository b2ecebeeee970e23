import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import { io as connect } from 'socket.io-client'
import { Decoder, type Packet } from 'socket.io-parser'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createBoundedParser, findPayloadProblem } from './bounded-parser.ts'

const parser = createBoundedParser({ depth: 64, keys: 10_000, stringLength: 1024 * 1024 })

/** What is decoded of these. */
function read(...pieces: readonly unknown[]): Packet[] {
  const decoder = new parser.Decoder()
  const packets: Packet[] = []
  decoder.on('decoded', (packet) => packets.push(packet))
  for (const piece of pieces) decoder.add(piece)
  return packets
}

function payloadOf(packet: string): unknown {
  const [, payload] = (read(packet)[0]?.data ?? []) as unknown[]
  return payload
}

const nest = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('a parser that looks first', () => {
  it.each([
    ['a handshake', '0{"token":"ann"}'],
    ['a handshake with signs in a text', '0/other,{"token":"\\"[{,:"}'],
    ['a handshake without anything', '0'],
    ['a goodbye', '1'],
    ['an event', '27["chat:send",{"session_id":"x","message":"a \\\\\\" b","n":[1,-2.5e3,true,null]}]'],
    ['an event of a namespace', '2/other,7["chat:stop",{}]'],
    ['an acknowledgement', '37[]'],
    ['a deep event', `2["chat:send",${nest(1_000)}]`],
    ['a long text', `2["chat:send","${'\\"[,'.repeat(200_000)}"]`],
    ['many values', `2["chat:send",[${'0,'.repeat(400_000)}0]]`],
  ])('reads %s as others do', (_what, text) => {
    const plain = new Decoder()
    const expected: Packet[] = []
    plain.on('decoded', (packet) => expected.push(packet))
    plain.add(text)
    expect(read(text)).toEqual(expected)
    expect(expected).toHaveLength(1)
  })

  it('reads bytes where they belong', () => {
    expect(read('51-["chat:send",{"a":{"_placeholder":true,"num":0}}]', Buffer.from('hi'))).toEqual([
      { type: 2, nsp: '/', data: ['chat:send', { a: Buffer.from('hi') }] },
    ])
  })

  it.each([
    ['empty objects', `21["session:subscribe",{"a":[${'{},'.repeat(500_000)}{}]}]`],
    ['numbers', `2["a",[${'0,'.repeat(500_000)}0]]`],
    ['keys', `2["a",{${'"a":0,'.repeat(500_000)}"a":0}]`],
    ['levels', `2["a",${nest(500_000)}]`],
    ['values behind a number that is none', `2["a",[1e999,${'{},'.repeat(500_000)}{}]]`],
    ['values in an acknowledgement', `31[${'{},'.repeat(500_000)}{}]`],
    ['values in a handshake', `0{"a":[${'{},'.repeat(500_000)}{}]}`],
    ['values behind a namespace', `0/",{"a":[${'{},'.repeat(500_000)}{}]}`],
    ['values behind attachments', `50x1-/",["a",[${'{},'.repeat(500_000)}{}]]`],
  ])('takes no packet with too many %s', (_what, text) => {
    expect(() => read(text)).toThrow('a packet with more than 500000 values')
  })

  it.each([
    ['number', `2${'1'.repeat(1_000)}["a"]`],
    ['namespace', `0/${'a'.repeat(1_000)},{}`],
    ['number of attachments', `5${'0'.repeat(1_000)}1-["a"]`],
    ['number of attachments in another form', `50x${'0'.repeat(1_000)}1-/",["a"]`],
  ])('takes no packet whose %s is too long', (_what, text) => {
    expect(() => read(text)).toThrow('a packet whose head is too long')
  })

  it.each([
    ['nested deeper than 65 levels', nest(65)],
    ['more than 10000 keys', `{${'"a":0,'.repeat(10_000)}"a":0}`],
    ['a string longer than 1048576 characters', `["${' '.repeat(1024 * 1024 + 1)}"]`],
    ['a number too large for a double', '[1e999]'],
  ])('remembers what is wrong with a payload that is %s', (problem, payload) => {
    expect(findPayloadProblem(payloadOf(`2["chat:send",${payload}]`))).toBe(problem)
    expect(findPayloadProblem(payloadOf('2["chat:send",{}]'))).toBe(undefined)
  })

  it('takes images and files of any length', () => {
    const long = 'QUJD'.repeat(500_000)
    const payload = payloadOf(`2["chat:send",{"url":"data:image/png;base64,${long}","data":"${long}"}]`)
    expect(findPayloadProblem(payload)).toBe(undefined)
  })

  it('takes no deep packet that has bytes', () => {
    expect(read(`51-["a",${nest(64)},{"_placeholder":true,"num":0}]`, Buffer.from('hi'))).toHaveLength(1)
    expect(() => read(`51-["a",${nest(65)},{"_placeholder":true,"num":0}]`)).toThrow('nested deeper than 65 levels')
  })

  it.each(['2["a",', '2["a', '2]]]]', '2""""""', '9', '2{"a":1}'])(
    'leaves the refusal of %s to the decoder',
    (text) => {
      expect(() => read(text)).toThrow(/invalid payload|unknown packet type/)
    },
  )

  it('closes only the connection of the client that sends too much', async () => {
    const http = createServer()
    const server = new Server(http, { parser, maxHttpBufferSize: 1e8 })
    onTestFinished(() => server.close())
    server.on('connection', (socket) =>
      socket.on('say', (_said: unknown, ack: (heard: string) => void) => ack('heard')),
    )
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    const open = () => {
      const { port } = http.address() as AddressInfo
      const client = connect(`http://127.0.0.1:${port}`, { transports: ['websocket'], reconnection: false })
      onTestFinished(() => void client.close())
      return client
    }
    const [good, bad] = [open(), open()]
    expect(await good.emitWithAck('say', { text: 'hello' })).toBe('heard')
    expect(await bad.emitWithAck('say', [Buffer.from('bytes')])).toBe('heard')
    const gone = new Promise((resolve) => bad.once('disconnect', resolve))
    bad.emit(
      'say',
      Array.from({ length: 600_000 }, () => 0),
    )
    expect(await gone).toBe('transport close')
    expect(await good.emitWithAck('say', { text: 'hello' })).toBe('heard')
  })
})
