import { getRequestListener } from '@hono/node-server'
import {
  asUserId,
  createEngine,
  type AgentDefinition,
  type AgentFeatures,
  type AgentOption,
  type Engine,
  type EngineOptions,
  type Model,
  type OfferedModel,
  type Tool,
} from '@polylogue/engine'
import type { AapDeps } from '../deps.ts'
import { Hono, type MiddlewareHandler } from 'hono'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAapRoutes, type AapLimits, type Caller, type StreamWatch } from '../index.ts'
import type { NodeEnv } from '../routes.ts'
import { parseFrames, type Frame } from './parse-frames.ts'

/** The fakes under the engine, from testkit. */
export type DoorParts = Pick<
  EngineOptions,
  'store' | 'clock' | 'ids' | 'digest' | 'secretBox' | 'rules' | 'workspaces' | 'operator' | 'models'
> & {
  readonly model: Model
}

export interface DoorOptions {
  readonly tools?: readonly Tool[]
  readonly options?: readonly AgentOption[]
  readonly models?: readonly OfferedModel[]
  readonly features?: Partial<AgentFeatures>
  readonly limits?: Partial<AapLimits>
  readonly streams?: StreamWatch
  /** Runs around the routes, as a server's own middleware would. */
  readonly around?: MiddlewareHandler<NodeEnv>
}

const FEATURES: AgentFeatures = {
  histories: ['compacted', 'full'],
  streams: ['delta', 'message', 'none'],
  clientTools: true,
  images: ['http', 'data'],
}

const LIMITS: AapLimits = {
  bodyBytes: 1_000_000,
  smallBodyBytes: 10_000,
  json: { depth: 64, keys: 10_000, stringLength: 1_048_576 },
  outBufferBytes: 512 * 1024,
  pageSize: 2,
}

export const HEARTBEAT_MS = 15_000

/** Both versions over a real engine and a real socket. Only model, tools, clock and store are fakes. */
export async function openDoor<Parts extends DoorParts>(parts: Parts, options: DoorOptions = {}): Promise<Door<Parts>> {
  const { model, clock, digest } = parts
  const agent: AgentDefinition = {
    name: 'tester',
    version: '1.0.0',
    instructions: 'Test.',
    model,
    modelName: 'fake/model',
    tools: options.tools ?? [],
    options: options.options ?? [],
    features: { ...FEATURES, ...options.features },
    maxSteps: 10,
  }
  const agents = { find: (name: string) => (name === agent.name ? agent : undefined), list: () => [agent] }
  const engine = createEngine({
    ...parts,
    agents,
    recovery: 'continue',
    owner: 'test',
    log: () => undefined,
  })
  const revocations = new Map(['ann', 'ben'].map((name) => [name, new AbortController()]))
  const authenticate = async ({ headers }: IncomingMessage): Promise<Caller | undefined> => {
    const name = /^Bearer (\w+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    const revoked = revocations.get(name)?.signal
    return revoked === undefined || revoked.aborted ? undefined : { userId: asUserId(name), keyId: name, revoked }
  }
  const limits = { ...LIMITS, ...options.limits }
  const nothing = (): void => undefined
  const streams = options.streams ?? { admit: nothing, attached: nothing, reading: nothing, dropped: nothing }
  const reads: AapDeps['reads'] = { enter: async () => (work) => work(), begin: async () => () => undefined }
  const modelsFor = () => options.models ?? []
  const deps = {
    engine,
    agents,
    modelsFor,
    authenticate,
    clock,
    digest,
    heartbeatMs: HEARTBEAT_MS,
    limits,
    streams,
    reads,
  }
  const app = new Hono<NodeEnv>()
  if (options.around !== undefined) app.use(options.around)
  app.route('/aap/v3', await createAapRoutes(deps, { version: 3, base: '/aap/v3' }).app())
  app.route('/aap/v1', await createAapRoutes(deps, { version: 1, base: '/aap/v1' }).app())

  const listen = getRequestListener(app.fetch)
  const server = createServer((incoming, outgoing) => void listen(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    ...parts,
    engine,
    port,
    revoke(name) {
      revocations.get(name)?.abort()
    },
    send: (method, path, sent = {}) => send(port, method, path, sent),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await engine.stop(0)
    },
  }
}

/** The parts, and the door that was opened on them. */
export type Door<Parts extends DoorParts> = Parts & OpenedDoor

interface OpenedDoor {
  readonly engine: Engine
  readonly port: number
  revoke(name: string): void
  send(method: string, path: string, sent?: SendOptions): Promise<Reply>
  close(): Promise<void>
}

export interface SendOptions {
  readonly body?: unknown
  /** Goes out as it is. */
  readonly text?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer whose body is read as it comes. */
export class Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Resolves with the whole body, also when the connection was destroyed under it. */
  readonly text: Promise<string>
  readonly #incoming: IncomingMessage
  readonly #watchers = new Set<() => void>()
  #soFar = ''
  wasCut = false

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming
    this.status = incoming.statusCode ?? 0
    this.headers = incoming.headers
    const { promise, resolve } = Promise.withResolvers<string>()
    this.text = promise
    incoming.setEncoding('utf8')
    incoming.on('data', (chunk: string) => {
      this.#soFar += chunk
      for (const check of this.#watchers) check()
    })
    incoming.on('error', () => (this.wasCut = true))
    incoming.on('close', () => resolve(this.#soFar))
  }

  get soFar(): string {
    return this.#soFar
  }

  async json(): Promise<ReturnType<typeof JSON.parse>> {
    return JSON.parse(await this.text)
  }

  async frames(): Promise<readonly Frame[]> {
    return parseFrames(await this.text)
  }

  async until(part: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = (): void => {
      if (this.#soFar.includes(part)) resolve()
    }
    this.#watchers.add(check)
    check()
    await promise
    this.#watchers.delete(check)
  }

  leave(): void {
    this.#incoming.destroy()
  }

  /** Stops reading, as a client does that has fallen asleep. */
  pause(): void {
    this.#incoming.pause()
  }

  resume(): void {
    this.#incoming.resume()
  }
}

function send(port: number, method: string, path: string, sent: SendOptions): Promise<Reply> {
  const { body, key = 'ann' } = sent
  const payload = sent.text ?? (body === undefined ? undefined : JSON.stringify(body))
  const length = payload === undefined ? {} : { 'content-length': `${Buffer.byteLength(payload)}` }
  const framing = sent.headers?.['transfer-encoding'] === undefined ? length : {}
  const headers = { authorization: `Bearer ${key}`, ...framing, ...sent.headers }
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const asked = request({ port, host: '127.0.0.1', method, path: `/aap${path}`, headers, agent: false }, (incoming) =>
    resolve(new Reply(incoming)),
  )
  asked.on('error', reject)
  asked.end(payload)
  return promise
}
