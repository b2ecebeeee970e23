import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isLoopback } from './network-address.ts'

/** The addresses where other machines reach a listener; none on loopback. */
export function findOpenAddresses(url: string, host: string, interfaces = networkInterfaces()): readonly string[] {
  if (isLoopback(host)) return []
  const { port } = new URL(url)
  const isAnyIPv4 = host === '0.0.0.0'
  if (!isAnyIPv4 && host !== '::' && host !== '') return [url]
  return (
    Object.values(interfaces)
      .flatMap((addresses = []) => addresses)
      // A link-local address needs the name of an interface, which a URL cannot hold.
      .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address) && !(isAnyIPv4 && isIPv6(address)))
      .map(({ address }) => `http://${isIPv6(address) ? `[${address}]` : address}:${port}`)
  )
}
