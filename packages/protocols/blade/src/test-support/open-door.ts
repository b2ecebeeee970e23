import {
  asUserId,
  createEngine,
  type AgentDefinition,
  type CreateSession,
  type EngineOptions,
  type KeptStore,
  type LogEntry,
  type Model,
  type SessionId,
  type Tool,
} from '@polylogue/engine'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { io } from 'socket.io-client'
import { BladeClient, type Ack, type BladeClientOptions } from '../client/blade-client.ts'
import { readTurns } from '../projection/read-turns.ts'
import { attachBlade } from '../socket/attach-blade.ts'
import type { BladeSocketDeps, SocketCaller, SocketLimits } from '../socket/deps.ts'
import type { BladeOutput, MessageContent, SendOptions, TurnProjection } from '../wire.ts'
import { summarizeOutput, plainDescribe } from './watch-session.ts'

/** The fakes under the engine, from testkit. */
export type DoorParts = Pick<
  EngineOptions,
  | 'store'
  | 'clock'
  | 'ids'
  | 'digest'
  | 'secretBox'
  | 'rules'
  | 'workspaces'
  | 'operator'
  | 'memories'
  | 'models'
  | 'outputs'
> & { readonly model: Model }

export interface DoorOptions extends Partial<Pick<AgentDefinition, 'maxSteps' | 'contextWindow' | 'roles'>> {
  readonly tools?: readonly Tool[]
  readonly limits?: Partial<SocketLimits>
  readonly attachFile?: BladeSocketDeps['attachFile']
  readonly kept?: KeptStore
  /** Its store will die under it, so that it can never be stopped. */
  readonly isDoomed?: boolean
  /** Sockets of one key. */
  readonly most?: number
  /** Before a client is known. */
  readonly whileIdentifying?: () => Promise<void>
}

export const LIMITS: SocketLimits = {
  messageBytes: 32 * 1024 * 1024,
  unauthenticatedBytes: 1024 * 1024,
  outBufferBytes: 512 * 1024,
  json: { depth: 64, keys: 10_000, stringLength: 1_048_576 },
}

/** The door over a real engine and real sockets. Only model, tools, clock and store are fakes. */
export async function openDoor<Parts extends DoorParts>(parts: Parts, options: DoorOptions = {}) {
  const { model, clock, digest } = parts
  const agent: AgentDefinition = {
    name: 'tester',
    version: '1.0.0',
    instructions: 'Test.',
    model,
    modelName: 'fake/model',
    tools: options.tools ?? [],
    options: [],
    features: { histories: ['full'], streams: ['delta'], clientTools: true, images: ['http', 'data'] },
    maxSteps: options.maxSteps ?? 10,
    ...(options.contextWindow !== undefined && { contextWindow: options.contextWindow }),
    ...(options.roles && { roles: options.roles }),
  }
  const agents = { find: (name: string) => (name === agent.name ? agent : undefined), list: () => [agent] }
  const logged: LogEntry[] = []
  const log = (entry: LogEntry): void => void logged.push(entry)
  const engine = createEngine({
    ...parts,
    agents,
    recovery: 'continue',
    owner: `test-${digest(`${Math.random()}`)}`,
    log,
  })
  const revocations = new Map(['ann', 'ben'].map((name) => [name, new AbortController()]))
  let open = 0
  let dropped = 0
  const server = createServer((_incoming, outgoing) => outgoing.writeHead(404).end())
  const blade = attachBlade(server, {
    engine,
    agents,
    clock,
    digest,
    describe: plainDescribe,
    limits: { ...LIMITS, ...options.limits },
    async authenticate(incoming, token): Promise<SocketCaller | undefined> {
      await options.whileIdentifying?.()
      const shown = token ?? /^Bearer (\w+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? ''
      const revoked = revocations.get(shown)?.signal
      return revoked === undefined || revoked.aborted ? undefined : { userId: asUserId(shown), keyId: shown, revoked }
    },
    sockets: {
      admit() {
        if (open >= (options.most ?? Infinity)) return undefined
        open++
        return () => void open--
      },
      dropped: () => void dropped++,
    },
    ...(options.attachFile && { attachFile: options.attachFile }),
    ...(options.kept && { kept: options.kept }),
    log,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const clients: TestClient[] = []

  return {
    ...parts,
    engine,
    blade,
    port,
    logged,
    user: asUserId('ann'),
    sockets: () => ({ open, dropped }),
    revoke: (name: string) => revocations.get(name)?.abort(),
    /** A client that is connected. */
    async client(more: Partial<BladeClientOptions> = {}): Promise<TestClient> {
      const client = new TestClient({
        url: `http://127.0.0.1:${port}`,
        token: 'ann',
        transports: ['websocket'],
        // What the server gives back by itself is to be seen.
        resubscribes: false,
        ...more,
      })
      clients.push(client)
      await client.connect()
      return client
    },
    async session(more: Partial<CreateSession> = {}): Promise<SessionId> {
      const access = { type: 'preset' } as const
      const create = { type: 'create-session', userId: asUserId('ann'), agent: agent.name, access, ...more } as const
      return (await engine.execute(create)).sessionId
    },
    messages: (sessionId: SessionId): Promise<readonly TurnProjection[]> =>
      readTurns(engine, { userId: asUserId('ann'), sessionId }, plainDescribe),
    async close() {
      for (const client of clients) client.close()
      await blade.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      if (options.isDoomed !== true) await engine.stop(0)
    },
  }
}

export type Door = Awaited<ReturnType<typeof openDoor>>

/** A client that remembers what it was told. */
export class TestClient extends BladeClient {
  readonly told: BladeOutput[] = []
  readonly #waiting = new Set<() => void>()

  constructor(options: BladeClientOptions) {
    super(io, options)
    this.listen((output) => {
      this.told.push(output)
      for (const check of this.#waiting) check()
    })
  }

  of<Name extends BladeOutput['event']>(event: Name): readonly Extract<BladeOutput, { event: Name }>['payload'][] {
    return this.told.filter((output) => output.event === event).map(({ payload }) => payload as never)
  }

  story(): readonly string[] {
    return this.told.map(summarizeOutput)
  }

  /** Resolves when the server has told so, as often as asked. */
  async until(event: BladeOutput['event'], times = 1): Promise<void> {
    await this.untilSo(() => this.of(event).length >= times)
  }

  /** Sends a message and waits for the end of its run. */
  async say(sessionId: string, message: MessageContent, options: SendOptions = {}): Promise<Ack> {
    const before = this.of('chat:end').length
    const ack = await this.send(sessionId, message, options)
    if (ack.status === 'ok') await this.until('chat:end', before + 1)
    return ack
  }

  async untilStory(line: string, times = 1): Promise<void> {
    await this.untilSo(() => this.story().filter((told) => told === line).length >= times)
  }

  /** Resolves when something was told after which it is so. */
  async untilSo(isSo: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = (): void => {
      if (isSo()) resolve()
    }
    this.#waiting.add(check)
    check()
    await promise
    this.#waiting.delete(check)
  }
}
