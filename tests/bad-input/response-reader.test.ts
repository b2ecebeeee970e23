import { describe, expect, it } from 'vitest'
import { BrokenResponse, createResponseReader } from './response-reader.ts'

const read = (text: string, isHead = false) => createResponseReader(() => isHead).feed(Buffer.from(text, 'latin1'))
const statuses = (text: string): number[] => read(text).map(({ status }) => status)

describe('the answers on a connection', () => {
  it('are separated by their length, their chunks, or by having no body', () => {
    const text =
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi' +
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n' +
      'HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'
    expect(read(text).map(({ status, body }) => [status, body.toString()])).toEqual([
      [200, 'hi'],
      [200, 'hi'],
      [204, ''],
      [404, ''],
    ])
  })

  it('are the same for any division into packets', () => {
    const text = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'
    const reader = createResponseReader(() => false)
    const got = text.split('').flatMap((byte) => reader.feed(Buffer.from(byte)))
    expect(got.map(({ body }) => body.toString())).toEqual(['abcde'])
    expect(reader.isInside).toBe(false)
  })

  it('may pass over 100 Continue and have no body after HEAD', () => {
    expect(statuses('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n')).toEqual([413])
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n', true)).toHaveLength(1)
  })

  it.each([
    'HTTP/1.1 OK\r\n\r\n',
    'hello\r\n\r\n',
    'HTTP/1.1 200 OK\r\nbad line\r\n\r\n',
    'HTTP/1.1 200 OK\r\nA: b\u0001\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\ncontent-length: 2\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: one\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n',
  ])('are not %j', (text) => {
    expect(() => read(text)).toThrow(BrokenResponse)
  })

  it('are not cut short', () => {
    const reader = createResponseReader(() => false)
    reader.feed(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi'))
    expect(() => reader.end()).toThrow('the answer was cut')
  })
})
