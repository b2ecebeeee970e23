import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { withoutMapping } from './network-address.ts'

/** Where a request came from. */
export type ClientAddress = (incoming: Pick<IncomingMessage, 'headers' | 'socket'>) => string

export interface ProxyList {
  has(address: string): boolean
}

/** `X-Forwarded-For` is believed as far as trusted proxies wrote it: from its right end to the first stranger. */
export function createClientAddress(proxies: ProxyList): ClientAddress {
  return ({ headers, socket }) => {
    let address = withoutMapping(socket.remoteAddress ?? '')
    const forwarded = headers['x-forwarded-for'] ?? ''
    const hops = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded).split(',')
    while (proxies.has(address)) {
      const hop = withoutMapping(hops.pop()?.trim() ?? '')
      if (isIP(hop) === 0) break
      address = hop
    }
    return address
  }
}

/** Addresses and networks as the configuration names them, checked there. */
export function createProxyList(networks: readonly string[]): ProxyList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return {
    has(address) {
      const family = isIP(address)
      return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
    },
  }
}
