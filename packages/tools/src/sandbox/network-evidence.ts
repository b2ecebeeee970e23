// Whether a command without a network tried to use one. Its network namespace is new, so the kernel's counters in it begin
// at zero and count only what this command did.
import { readFileSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'

export interface NetworkEvidence {
  /** Open for the sandboxed watcher, which writes the counters of the namespace after the command. */
  readonly fd: number
  /** Whether the kernel refused a packet because no network was there. */
  wasRefused(): Promise<boolean>
  close(): Promise<void>
}

export async function openNetworkEvidence(path: string): Promise<NetworkEvidence> {
  const file: FileHandle = await open(path, 'wx+', 0o600)
  await rm(path, { force: true })
  return {
    fd: file.fd,
    wasRefused: async () => {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MOST_BYTES), position: 0 })
      return showsRefusal(buffer.subarray(0, bytesRead).toString(), hasLocalResolver())
    },
    close: () => file.close(),
  }
}

const MOST_BYTES = 64 * 1024

/** A command in a sandbox, and after a failure the counters of its network to the descriptor that is the first argument. */
export const WATCHER =
  'o=$1; shift; "$@"; r=$?; [ "$r" = 0 ] || cat /proc/net/snmp /proc/net/snmp6 2>/dev/null >"/proc/self/fd/$o"; exit "$r"'

/** `counters`: the files `snmp` and `snmp6` of `/proc/net`. */
export function showsRefusal(counters: string, isResolverLocal: boolean): boolean {
  if (counterOf(counters, 'Ip:', 'OutNoRoutes') > 0) return true
  if (/^Ip6OutNoRoutes\s+[1-9]/m.test(counters)) return true
  // Questions for names went to this machine, where nobody answers inside of the sandbox.
  return isResolverLocal && counterOf(counters, 'Udp:', 'NoPorts') > 0
}

function counterOf(counters: string, protocol: string, name: string): number {
  const [names = '', values = ''] = counters.split('\n').filter((line) => line.startsWith(protocol))
  const at = names.split(' ').indexOf(name)
  return at === -1 ? 0 : Number(values.split(' ')[at] ?? 0)
}

function hasLocalResolver(): boolean {
  try {
    return /^[ \t]*nameserver\s+(?:127\.|::1)/m.test(readFileSync('/etc/resolv.conf', 'utf8'))
  } catch {
    return true
  }
}
