import { getRequestListener, type HttpBindings } from '@hono/node-server'
import {
  EngineError,
  asSessionId,
  asUserId,
  type AgentDefinition,
  type KeyRecord,
  type UsageSum,
  type UserId,
} from '@polylogue/engine'
import {
  calls,
  createFakeTool,
  createMemoryMemoryStore,
  createMemoryRuleStore,
  createTestEngine,
  finishes,
  useSession,
} from '@polylogue/testkit'
import { Hono } from 'hono'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFetchTransport, createOwnerClient, type OwnerClient, type Transport } from '../client/index.ts'
import { BASE_PATH } from '../light/base-path.ts'
import { createConsoleRoutes } from '../routes/create-console-routes.ts'
import { createOwnerRoutes } from '../routes/create-owner-routes.ts'
import type { ConsoleDeps } from '../routes/deps.ts'

export const ANN = asUserId('ann')
export const OPERATOR = asUserId('local')

/** What came over the wire for the last request. */
export interface Wire {
  status: number
  text: string
}

export const NODE = {
  nodeId: '1-ab',
  role: 'all',
  version: '0.1.0',
  machine: 'host',
  pid: 1,
  startedAt: 1,
  leaseUntil: 5_001,
  isAlive: true,
  level: 1,
  isSelf: true,
  sessions: 1,
}

const AGENT = {
  name: 'tester',
  version: '1.0.0',
  modelName: 'fake/model',
  options: [{ name: 'tone', type: 'select', default: 'dry', choices: ['dry', 'warm'] }],
  tools: [createFakeTool('pay', { effect: 'unsafe' })],
} as unknown as AgentDefinition

/**
 * The protocol over a real engine and a real socket; a key is the name of its user. Stores, model and what only a server
 * knows are fakes.
 */
export async function openConsole() {
  const tool = createFakeTool('pay', {
    effect: 'unsafe',
    run: async () => ({ content: JSON.stringify({ _meta: { ui: { resourceHTML: '<p>Paid</p>' } } }) }),
  })
  const test = createTestEngine({ tools: [tool] })
  const keys = createKeys()
  const deps: ConsoleDeps = {
    engine: test.engine,
    events: test.store,
    commands: {
      list: ({ agent }) => [{ name: 'greet', description: `How ${agent} greets`, hint: 'whom' }],
      run: async (_session, { name, rest }) =>
        name === 'greet' ? { type: 'prompt', text: `Greet ${rest}` } : undefined,
    },
    agents: {
      find: (name) => (name === 'tester' ? AGENT : undefined),
      list: () => [AGENT],
      defaultName: 'tester',
    },
    fetchImage: async () => ({ type: 'image/png', bytes: new Uint8Array([1, 2, 3]) }),
    judgeTool: () => ['ask'],
    budgetsOf: () => ({ currency: 'USD', of: () => ({ turn: { steps: 3 } }) }),
    readRows: async () => ({ rows: [{ row: 0, seq: 2, turn: { turn_id: 'turn_1' } }], total: 1, seq: 3, patch: 4 }),
    keys,
    users: createUsers(),
    signInLink: async (userId) => ({ url: `http://127.0.0.1/signin#code=${userId}`, expiresAt: 2 }),
    embedLink: async (_, sessionId) => ({ url: `https://a.example/embed/${sessionId}#code=x`, expiresAt: 2 }),
    embedHosts: [],
    cardCodes: createCardCodes(),
    memories: createMemoryMemoryStore({ clock: test.clock }),
    usage: { sumUsage: async () => [SUM] },
    rules: createMemoryRuleStore(),
    doors: createFakeDoors(),
    permissions: { deny: [{ tool: 'Bash' }], allowHosts: ['a.example'], blockHosts: [], ceiling: 'workspace-write' },
    isAboveCeiling: (preset, userId) => preset === 'full-access' && userId !== OPERATOR,
    backtest: async () => BACKTEST,
    replay: {
      run: async () => ({ compared: 3, skipped: 0, requests: 1, differences: [] }),
      describeAgents: (name) => [{ name }],
    },
    status: () => STATUS,
    listModels: async () => MODELS,
    mcp: () => ({
      servers: [{ name: 'notes', state: 'failed', tools: 0, since: 1, lastError: 'spawn /opt/notes ENOENT' }],
      tools: [{ name: 'mcp_notes_add', server: 'notes', description: '', effect: 'unsafe' }],
    }),
    nodes: async () => ({ nodes: [NODE], leases: [{ sessionId: 's1', nodeId: NODE.nodeId }] }),
    isOperator: (userId) => userId === OPERATOR,
    clock: test.clock,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    async authenticate({ headers: { authorization } }) {
      const user = /^Bearer (\w+)$/.exec(authorization ?? '')?.[1]
      if (user === undefined) return { type: 'refused', status: 401, error: 'Unauthorized' }
      const caller = {
        userId: asUserId(user),
        keyId: `key_${user}`,
        mayMakeKeys: user !== 'stale',
        revoked: keys.revoked.signal,
      }
      return { type: 'caller', caller: { ...caller, via: user === OPERATOR ? 'owner-socket' : 'key' } }
    },
    bodyLimits: { small: LIMITS, conversation: LIMITS },
    streams: { admit: () => undefined },
    reads: { enter: async () => (work) => work(), begin: async () => () => undefined },
  }
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.onError((error, c) => {
    if (!(error instanceof EngineError)) throw error
    return c.json({ error: error.message, code: error.code }, error.code === 'session-not-found' ? 404 : 400)
  })
  app.route(BASE_PATH, createConsoleRoutes(deps))
  app.route(BASE_PATH, createOwnerRoutes(deps))
  const listen = getRequestListener(app.fetch)
  const server = createServer((incoming, outgoing) => void listen(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const wire: Wire = { status: 0, text: '' }
  return {
    url,
    wire,
    keys,
    routes: app.routes,
    clientOf: (key: string): OwnerClient => createOwnerClient(tap(createFetchTransport({ url, key }), wire)),
    /** A session of Ann's that waits for an approval. */
    async startWaiting(): Promise<string> {
      const { sessionId } = await test.engine.execute({
        type: 'create-session',
        userId: ANN,
        agent: 'tester',
        access: { type: 'preset' },
      })
      const session = useSession(test, sessionId)
      test.model.push([calls('a', 'pay', { amount: 3 }), finishes('tool-calls')])
      await session.say('go')
      await session.untilRest()
      return sessionId
    },
    /** Says something while the session waits, to run after that turn. */
    queue: (sessionId: string, content: string) =>
      test.engine.execute({
        type: 'start-turn',
        userId: ANN,
        sessionId: asSessionId(sessionId),
        content,
        whenRunning: 'queue',
        whenWaiting: 'queue',
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await test.engine.stop(0)
    },
  }
}

export type OpenedConsole = Awaited<ReturnType<typeof openConsole>>

function tap(transport: Transport, wire: Wire): Transport {
  return async (request) => {
    const response = await transport(request)
    wire.status = response.status
    wire.text = await response.text()
    return { status: wire.status, text: async () => wire.text }
  }
}

/** One door that sends the type of each event, one event late. */
function createFakeDoors(): ConsoleDeps['doors'] {
  return {
    present() {
      let waiting: { readonly name: string; readonly body: unknown }[] = []
      return [
        {
          name: 'late',
          presentation: {
            async recorded({ seq, event }) {
              const sent = waiting
              waiting = [{ name: event.type, body: { seq } }]
              return sent
            },
            settle: () => waiting,
          },
        },
      ]
    },
    clients: async (sessionId) => [{ door: 'late', client: `reader of ${sessionId}`, since: 1, cursor: 1 }],
  }
}

function createKeys() {
  const records: KeyRecord[] = []
  return {
    revoked: new AbortController(),
    list: async (userId?: UserId) => records.filter((record) => userId === undefined || record.userId === userId),
    async requestApiKey(userId: UserId, name: string) {
      const id = `key_${records.length + 1}`
      const record: KeyRecord = { id, userId, name, kind: 'api', prefix: 'sk-', lastFour: 'abcd', createdAt: 1 }
      records.push(record)
      return { record, plain: 'sk-abcd' }
    },
    async revoke(id: string, userId?: UserId) {
      const at = records.findIndex((one) => one.id === id && (userId === undefined || one.userId === userId))
      if (at >= 0) records.splice(at, 1)
      return at >= 0
    },
  }
}

/** Ann and the operator are admins. Ben has sessions. */
function createUsers(): ConsoleDeps['users'] {
  const users = new Map<UserId, 'user' | 'admin'>([
    [OPERATOR, 'admin'],
    [ANN, 'admin'],
    [asUserId('ben'), 'user'],
  ])
  return {
    list: async () => [...users].map(([userId, role]) => ({ userId, role, createdAt: 1, keys: 1, browsers: 0 })),
    isAdmin: async (userId) => users.get(userId) === 'admin',
    async add(userId, role) {
      if (users.has(userId)) return false
      users.set(userId, role)
      return true
    },
    async changeRole(userId, role) {
      if (!users.has(userId)) return false
      users.set(userId, role)
      return true
    },
    async remove(userId, { deleteSessions }) {
      if (userId === OPERATOR) return { type: 'refused', reason: 'local' }
      if (!users.has(userId)) return { type: 'unknown' }
      if (userId === asUserId('ben') && !deleteSessions) return { type: 'refused', reason: 'has-sessions' }
      users.delete(userId)
      return { type: 'removed', sessions: deleteSessions ? 1 : 0 }
    },
  }
}

const LIMITS = { bytes: 1_000_000, depth: 64, keys: 10_000, stringLength: 100_000 }

const STATUS = {
  pid: 1,
  version: '1.0.0',
  phase: 'ready',
  startedAt: 1,
  agents: ['tester'],
  defaultAgent: 'tester',
  doors: ['console'],
  sandbox: 'none',
  files: 'confined',
} as const

const MODELS = {
  default: { name: 'fake/model', reason: 'fake/model, as configured.' },
  models: [
    {
      name: 'fake/model',
      title: 'Model',
      provider: 'fake',
      isDefault: true,
      window: 1000,
      thinking: ['low', 'high'],
      price: { input: 1, output: 2, currency: 'USD', long: { above: 500, input: 2, output: 4 } },
    },
  ],
  providers: [{ name: 'fake', title: 'Fake', isReady: true }],
  catalogue: { source: 'a list', date: '2026-11-02' },
} as const

const SUM: UsageSum = {
  model: 'fake/model',
  calls: 1,
  untoldCalls: 0,
  unpricedCalls: 0,
  inputTokens: 10,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 5,
  reasoningTokens: 0,
  nano: { USD: 2_000_000 },
  lastAt: 1,
}

const BACKTEST = {
  sessions: 1,
  looked: 1,
  unknown: 0,
  totals: { allow: 1, ask: 0, deny: 0, disabled: 0 },
  changed: 1,
  isComplete: true,
  calls: [
    {
      sessionId: 's',
      toolCallId: 'a',
      at: 1,
      tool: 'Bash',
      preset: 'plan',
      what: 'ls',
      happened: 'granted',
      without: 'ask',
      with: 'allow',
      reason: 'user-rule:Bash',
    },
  ],
} as const

/** Codes are counted. */
function createCardCodes(): ConsoleDeps['cardCodes'] {
  const open = new Map<string, UserId>()
  const bound = (code: string, { sessionId, toolCallId }: { sessionId: string; toolCallId: string }): string =>
    [code, sessionId, toolCallId].join(' ')
  return {
    async issue(userId, card) {
      const code = `code${open.size}`
      open.set(bound(code, card), userId)
      return { code, expiresAt: 2 }
    },
    async redeem(code, card) {
      const userId = open.get(bound(code, card))
      open.delete(bound(code, card))
      return userId
    },
  }
}
