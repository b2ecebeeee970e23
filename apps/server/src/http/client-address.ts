import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { withoutMapping } from './network-address.ts'

/** The client's address of a request. */
export type ClientAddress = (incoming: Pick<IncomingMessage, 'headers' | 'socket'>) => string

export interface ProxyList {
  has(address: string): boolean
}

/** Reads `X-Forwarded-For` from its right end, as far as trusted proxies wrote it. */
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

/** Takes addresses and networks in the form that the configuration has checked. */
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
