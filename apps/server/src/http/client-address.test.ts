import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createClientAddress, createProxyList } from './client-address.ts'

const addressOf = createClientAddress(createProxyList(['10.0.0.0/8', '2001:db8::/32', '127.0.0.1']))

function from(remoteAddress: string, forwarded?: string): string {
  return addressOf({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    socket: { remoteAddress },
  } as unknown as IncomingMessage)
}

describe('the address of a client', () => {
  it('is the one at the other end of the connection, whatever a stranger writes', () => {
    expect(from('203.0.113.7')).toBe('203.0.113.7')
    expect(from('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7')
    expect(from('::ffff:203.0.113.7', '127.0.0.1')).toBe('203.0.113.7')
  })

  it('behind trusted proxies is the last one that none of them has', () => {
    expect(from('10.0.0.1', '198.51.100.1')).toBe('198.51.100.1')
    expect(from('::ffff:10.0.0.1', '198.51.100.1, 10.2.3.4')).toBe('198.51.100.1')
    expect(from('2001:db8::1', '127.0.0.1, 198.51.100.1 , 10.2.3.4')).toBe('198.51.100.1')
  })

  it('is the proxy itself when it says nothing that can be understood', () => {
    expect(from('10.0.0.1')).toBe('10.0.0.1')
    for (const forwarded of ['', 'unknown', '198.51.100.1, _hidden', '198.51.100.1:80', '999.1.1.1']) {
      expect(from('10.0.0.1', forwarded)).toBe('10.0.0.1')
    }
  })

  it('is the farthest proxy when there are only proxies', () => {
    expect(from('10.0.0.1', '10.0.0.3, 10.0.0.2')).toBe('10.0.0.3')
  })
})
