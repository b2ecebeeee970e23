import type { NetworkInterfaceInfo } from 'node:os'
import { expect, it } from 'vitest'
import { findOpenAddresses } from './open-addresses.ts'

const address = (of: Pick<NetworkInterfaceInfo, 'address' | 'internal'>): NetworkInterfaceInfo =>
  of.address.includes(':')
    ? { ...of, family: 'IPv6', netmask: 'ffff::', mac: '', cidr: null, scopeid: 0 }
    : { ...of, family: 'IPv4', netmask: '255.0.0.0', mac: '', cidr: null }

const interfaces = {
  lo: [address({ address: '127.0.0.1', internal: true }), address({ address: '::1', internal: true })],
  eth0: [
    address({ address: '192.0.2.7', internal: false }),
    address({ address: '2001:db8::7', internal: false }),
    address({ address: 'fe80::7', internal: false }),
  ],
}

it.each([
  ['127.0.0.1', 'http://127.0.0.1:8020', []],
  ['::1', 'http://[::1]:8020', []],
  ['0.0.0.0', 'http://127.0.0.1:8020', ['http://192.0.2.7:8020']],
  ['::', 'http://[::1]:8020', ['http://192.0.2.7:8020', 'http://[2001:db8::7]:8020']],
  ['192.0.2.7', 'http://192.0.2.7:8020', ['http://192.0.2.7:8020']],
])('other machines reach a listener on %s by every address that it takes', (host, url, expected) => {
  expect(findOpenAddresses(url, host, interfaces)).toEqual(expected)
})
