import { readFileSync } from 'node:fs'

const ESTABLISHED = '01'

/**
 * The ports of the clients whose connections to this port their server has taken. When many come at once the kernel lets
 * some wait, while they take themselves for connected: nobody owns their other end yet.
 */
export function readAccepted(serverPort: number): ReadonlySet<number> {
  const ports = new Set<number>()
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local = '', remote = '', state, , , , , , inode] = line.trim().split(/\s+/)
    if (portOf(local) === serverPort && state === ESTABLISHED && inode !== '0') ports.add(portOf(remote))
  }
  return ports
}

const portOf = (address: string): number => Number.parseInt(address.split(':')[1] ?? '', 16)
