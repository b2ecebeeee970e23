import { getRequestListener } from '@hono/node-server'
import {
  asSessionId,
  asUserId,
  createEngine,
  createScheduleBook,
  type AgentDefinition,
  type AgentRole,
  type NamedModel,
  type Recorded,
  type SessionId,
  type Tool,
  type UserId,
} from '@polylogue/engine'
import {
  createFakeClock,
  createFakeModel,
  createMemoryEventStore,
  createMemoryMemoryStore,
  createMemoryScheduleStore,
  createTestIds,
  hourlyCalendar,
  plainParts,
  plainSecretBox,
  testDigest,
} from '@polylogue/testkit'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BladeRestDeps } from '../deps.ts'
import { createBladeRoutes } from '../routes.ts'
import { createTestKeys } from './test-keys.ts'

export interface RestOptions {
  readonly tools?: readonly Tool[]
  readonly roles?: readonly AgentRole[]
  readonly bodyBytes?: number
  /** 1,000 unless given; `undefined`: nobody knows. */
  readonly contextWindow?: number | undefined
  /** What lies in the workspace of every session, by its path. */
  readonly sentFiles?: ReadonlyMap<string, Uint8Array>
}

export const ANN = asUserId('ann')
export const BEN = asUserId('ben')

/** The routes over a real engine and a real socket. Only model, tools, clock and stores are fakes. */
export async function openRest(options: RestOptions = {}) {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const memories = createMemoryMemoryStore({ clock })
  const model = createFakeModel()
  const otherModel = createFakeModel()
  const agent: AgentDefinition = {
    name: 'tester',
    title: 'The tester',
    version: '1.2.3',
    description: 'Tests.',
    instructions: 'Test.',
    model,
    modelName: 'fake/model',
    tools: options.tools ?? [],
    options: [],
    features: { histories: ['full'], streams: ['delta'], clientTools: false, images: ['data'] },
    maxSteps: 10,
    ...(options.roles && { roles: options.roles }),
  }
  const other: AgentDefinition = { ...agent, name: 'other', title: 'Another one' }
  const all = [agent, other]
  const agents = {
    find: (name: string) => all.find((candidate) => candidate.name === name),
    list: () => all,
    defaultName: agent.name,
  }
  const named: NamedModel = { model: otherModel, modelName: 'fake/other' }
  const models = {
    find: (name: string) => (name === named.modelName ? named : undefined),
    list: () => [{ name: named.modelName, title: 'Another model' }],
  }
  const engine = createEngine({
    store,
    memories,
    agents,
    models,
    clock,
    ids: createTestIds(),
    digest: testDigest,
    secretBox: plainSecretBox,
    ...plainParts,
    recovery: 'continue',
    owner: 'test',
    log: () => undefined,
  })
  const keys = createTestKeys({ clock, users: [ANN, BEN] })
  const schedules = createScheduleBook({
    store: createMemoryScheduleStore(),
    calendar: hourlyCalendar,
    // The book gives way to others between two schedules; here that takes no time.
    clock: {
      now: () => clock.now(),
      setTimer(_ms, run) {
        queueMicrotask(run)
        return { cancel: () => undefined }
      },
    },
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    changed: () => undefined,
  })
  const reported: unknown[] = []
  const deps: BladeRestDeps = {
    engine,
    agents,
    models,
    memories,
    schedules,
    timezone: 'Asia/Tokyo',
    keys,
    clock,
    reads: { enter: async () => (work) => work(), begin: async () => () => undefined },
    describe: {
      toolTitle: () => undefined,
      contextWindow: () => ('contextWindow' in options ? options.contextWindow : 1_000),
      directoryOf: () => undefined,
    },
    version: '9.8.7',
    bodies: { bytes: options.bodyBytes ?? 10_000, depth: 64, keys: 10_000, stringLength: 1_048_576 },
    foreignPaths: ['/api/theirs'],
    authenticate: keys.authenticate,
    readSentFile: async (_session, path) => options.sentFiles?.get(path),
    report(error) {
      reported.push(error)
      return `error-${reported.length}`
    },
  }
  const listen = getRequestListener(createBladeRoutes(deps).fetch)
  const server = createServer((incoming, outgoing) => void listen(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`

  return {
    url,
    server,
    engine,
    memories,
    keys,
    clock,
    model,
    otherModel,
    agents,
    reported,
    deps,
    send: (method: string, path: string, sent: SendOptions = {}) => send(url, method, path, sent),
    /** Begins a turn as another door would. */
    say: (sessionId: string, content: string, userId: UserId = ANN) =>
      engine.execute({ type: 'start-turn', userId, sessionId: asSessionId(sessionId), content, whenRunning: 'refuse' }),
    async untilRecorded(sessionId: string, isWanted: (recorded: Recorded) => boolean): Promise<void> {
      const found = Promise.withResolvers<void>()
      const attachment = await engine.attach(await ownerOf(asSessionId(sessionId)), asSessionId(sessionId), {
        after: { seq: 0 },
        reader: {
          recorded: (recorded) => {
            if (isWanted(recorded)) found.resolve()
          },
          delta: () => undefined,
          closed: () => found.resolve(),
        },
      })
      await found.promise
      attachment.detach()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await engine.stop(0)
    },
  }

  async function ownerOf(sessionId: SessionId): Promise<UserId> {
    const head = await store.readHead(sessionId)
    if (head === undefined) throw new Error(`there is no session ${sessionId}`)
    return head.userId
  }
}

export type Rest = Awaited<ReturnType<typeof openRest>>

export interface SendOptions {
  readonly body?: unknown
  /** Goes out as it is. */
  readonly text?: string
  /** `null`: none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly bytes: Buffer
  readonly body: ReturnType<typeof JSON.parse>
}

async function send(url: string, method: string, path: string, sent: SendOptions): Promise<Answer> {
  const { key = 'ann', body, text = body === undefined ? undefined : JSON.stringify(body) } = sent
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...sent.headers,
    },
    ...(text !== undefined && { body: text }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const received = bytes.toString()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
  return {
    status: answer.status,
    headers: answer.headers,
    text: received,
    bytes,
    body: isJson ? JSON.parse(received) : undefined,
  }
}
