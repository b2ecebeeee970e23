// The only code that connects to hosts that a model names. It decides by address, never by name: it resolves the name
// once, checks every address, connects to one of them, and checks the socket's remote address again before it sends a
// byte. DNS rebinding has no effect, because there is only one lookup. It uses no proxy, because a proxy would resolve the
// name itself.
import { requireGrant, type Grant } from '@polylogue/engine'
import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Allowance } from './allowance.ts'
import { isOwnAddress } from './own-address.ts'
import { isPublicAddress } from './public-address.ts'
import type { WebAddress } from './web-address.ts'

/** The addresses of a host. Rejects if there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface ConnectionRules {
  readonly allowance: Allowance
  /** The ports of public hosts. Hosts that the operator allowed may use any port. */
  readonly ports: readonly number[]
  /** Default: the operating system's resolver, including its hosts file. */
  readonly resolve?: Resolve
}

export interface ConnectionRequest {
  /** The calling tool's name and grant. */
  readonly tool: string
  readonly grant: Grant
  readonly address: WebAddress
  readonly rules: ConnectionRules
  readonly signal: AbortSignal
}

/** How many addresses of one host are tried. */
const MOST_ATTEMPTS = 4
const LONGEST_ATTEMPT_MS = 6000

class AddressRefused extends Error {}

/** Rejects with a sentence for the model. The caller destroys the socket. */
export async function openConnection(request: ConnectionRequest): Promise<Socket> {
  const { address, rules, signal } = request
  requireGrant(request.grant, request.tool)
  const candidates = await findCandidates(address, rules, signal)
  let failure: unknown
  for (const candidate of candidates.slice(0, MOST_ATTEMPTS)) {
    try {
      const socket = await connectTo(candidate, address.port, signal)
      return await secure(socket, request)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AddressRefused) throw error
      failure = error
    }
  }
  throw new Error(`${address.host} cannot be reached: ${describeFailure(failure)}.`, { cause: failure })
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}

/** One forbidden address refuses the whole host. There is no good reason for such a mix. */
async function findCandidates(address: WebAddress, rules: ConnectionRules, signal: AbortSignal): Promise<string[]> {
  const found = address.literal === undefined ? await resolveName(address, rules, signal) : [address.literal]
  for (const candidate of found) {
    const problem = judgeAddress(candidate, address, rules)
    if (problem !== undefined) throw new AddressRefused(problem)
  }
  return found
}

async function resolveName(
  { host }: WebAddress,
  { resolve = resolveBySystem }: ConnectionRules,
  signal: AbortSignal,
): Promise<string[]> {
  const found = await unlessAborted(resolve(host), signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new Error(`No address was found for ${host}.`, { cause: error })
  })
  if (found.length === 0) throw new Error(`No address was found for ${host}.`)
  return [...found]
}

function judgeAddress(candidate: string, { host, port }: WebAddress, rules: ConnectionRules): string | undefined {
  if (rules.allowance.allows(host, candidate)) return undefined
  if (!isPublicAddress(candidate) || isOwnAddress(candidate)) return `${host} is not on the public network.`
  if (!rules.ports.includes(port))
    return `Port ${port} is not one of those that may be used: ${rules.ports.join(', ')}.`
  return undefined
}

function connectTo(candidate: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (isIP(candidate) === 0) throw new Error(`${candidate} is no address`)
    const attempt = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_ATTEMPT_MS)])
    const socket = connect({ host: candidate, port, autoSelectFamily: false })
    const stop = (): void => void socket.destroy(new Error('it does not answer'))
    socket.once('connect', () => {
      attempt.removeEventListener('abort', stop)
      resolve(socket)
    })
    // Keep the listener: an early error must not end the process.
    socket.on('error', (error) => {
      attempt.removeEventListener('abort', stop)
      reject(error)
    })
    attempt.addEventListener('abort', stop, { once: true })
    if (attempt.aborted) stop()
  })
}

/** The last check before anything is sent. */
async function secure(socket: Socket, { address, rules, signal }: ConnectionRequest): Promise<Socket> {
  const problem = judgeAddress(socket.remoteAddress ?? '', address, rules)
  if (problem !== undefined) {
    socket.destroy()
    throw new AddressRefused(problem)
  }
  if (address.url.protocol === 'http:') return socket
  const name = address.literal === undefined ? { servername: address.host } : {}
  const secured = connectTls({ socket, host: address.host, ...name, ALPNProtocols: ['http/1.1'] })
  return untilSecured(secured, signal)
}

function untilSecured(secured: TLSSocket, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const stop = (): void => void secured.destroy(new Error('cancelled'))
    secured.on('error', (error) => {
      signal.removeEventListener('abort', stop)
      secured.destroy()
      reject(error)
    })
    secured.once('secureConnect', () => {
      signal.removeEventListener('abort', stop)
      resolve(secured)
    })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}

function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Only the code: the system's message contains addresses. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'it does not answer'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
