import { Agent } from '../platform/node-http.ts'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'
import { isAbsence } from './owner-absence.ts'
import type { OwnerConnection } from './owner-connection.ts'
import { requestOverSocket } from './request-over-socket.ts'
import { openSocketAddress } from './socket-address.ts'

const GREETING_TIMEOUT_MS = 5_000

export interface RunningOwner extends OwnerConnection {
  /** The URL that it serves. Absent: it listens on its socket only. */
  readonly url?: string
}

/** The running owner of this data directory, or `undefined`. */
export async function connectOwner(
  dataDir: string,
  patienceMs = GREETING_TIMEOUT_MS,
): Promise<RunningOwner | undefined> {
  try {
    return await greetOwner(dataDir, patienceMs)
  } catch (error) {
    if (isAbsence(error)) return undefined
    if (error instanceof ServeError) throw error
    throw new ServeError(`The process that owns ${dataDir} does not answer. Stop it, then try again.`, EXIT_FAILURE, {
      cause: error,
    })
  }
}

async function greetOwner(dataDir: string, patienceMs: number): Promise<RunningOwner> {
  const address = openSocketAddress(dataDir)
  const agent = new Agent({ keepAlive: true })
  const close = (): void => {
    agent.destroy()
    address.close()
  }
  const request: OwnerConnection['request'] = (method, path, options) =>
    requestOverSocket({ ...options, method, path, agent, socketPath: address.path })
  try {
    const response = await request('GET', '/api/polylogue/status', { signal: AbortSignal.timeout(patienceMs) })
    const { pid, url } = parseStatus(await response.json())
    return { pid, request, embedded: false, close: async () => close(), ...(url === undefined ? {} : { url }) }
  } catch (error) {
    close()
    throw error
  }
}

/** Parsed by hand, so that a verb that only talks to a running owner loads no schema library. */
function parseStatus(status: unknown): { readonly pid: number; readonly url?: string } {
  if (typeof status !== 'object' || status === null || !('pid' in status) || typeof status.pid !== 'number') {
    throw new Error('the owner does not say who it is')
  }
  const { pid } = status
  return 'url' in status && typeof status.url === 'string' ? { pid, url: status.url } : { pid }
}
