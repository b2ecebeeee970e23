// What an operator allows besides the public network, for an intranet: addresses and address ranges under any name, and
// host names, whose addresses may be private. A name never allows link-local addresses, where clouds hand out
// credentials: these must be listed as addresses.
import { isIP } from 'node:net'
import { isInnerAddress, toBlocks } from './public-address.ts'

export interface Allowance {
  /** Whether the operator allowed this address for this host. */
  allows(host: string, address: string): boolean
}

/** Entries: `10.1.2.3`, `10.0.0.0/8`, `wiki.corp.example`, `.corp.example` (it and what is below it). */
export function createAllowance(entries: readonly string[]): Allowance {
  const isRange = (entry: string): boolean => entry.includes('/') || isIP(entry) !== 0
  const blocks = toBlocks(entries.filter(isRange))
  const names = entries.filter((entry) => !isRange(entry)).map(toName)
  const isNamed = (host: string): boolean =>
    names.some((name) => (name.startsWith('.') ? host === name.slice(1) || host.endsWith(name) : host === name))
  return {
    allows(host, address) {
      const family = isIP(address)
      if (family === 0 || address.includes('%')) return false
      return blocks.check(address, family === 4 ? 'ipv4' : 'ipv6') || (isNamed(host) && isInnerAddress(address))
    },
  }
}

function toName(entry: string): string {
  const host = URL.parse(`http://${entry.replace(/^\./, '')}/`)?.hostname
  if (host === undefined || host === '' || isIP(host) !== 0 || /[/:@?#\\]/.test(entry))
    throw new TypeError(`allowHosts: ${JSON.stringify(entry)} is no host, no address and no range of addresses`)
  return `${entry.startsWith('.') ? '.' : ''}${host.replace(/\.$/, '')}`
}
