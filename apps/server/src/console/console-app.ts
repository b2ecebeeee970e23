import { createConsoleRoutes, createOwnerRoutes, type ConsoleDeps, type RequestDeps } from '@polylogue/console'
import { BASE_PATH } from '@polylogue/console/light'
import { policyOf, verdictsOf } from '@polylogue/engine'
import { fetchImage, isMcpTool } from '@polylogue/tools'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { createDoctorRoutes } from '../admin/doctor-routes.ts'
import { listModels } from '../agents/list-models.ts'
import { LOCAL_USER } from '../auth/key-ring.ts'
import type { LiveFacts } from '../doctor/live-facts.ts'
import { readersOf } from '../doors/attached-clients.ts'
import type { DoorDeps } from '../doors/door-deps.ts'
import type { ListenerKind } from '../doors/door.ts'
import { smallBodyLimits } from '../http/read-json-body.ts'
import type { HttpApp } from '../http/request-listener.ts'
import { listNodes } from '../nodes/list-nodes.ts'
import { HAND_OVER_PATH } from '../owner/hand-over-path.ts'
import { createHandOverRoutes } from '../owner/hand-over-routes.ts'
import { backtest } from '../permissions/backtest.ts'
import { isAboveCeiling } from '../permissions/cap-presets.ts'
import { toOperatorPolicy } from '../permissions/permissions-schema.ts'
import { randomBytes } from '../platform/random-bytes.ts'
import { sha256 } from '../platform/sha256.ts'
import { systemClock } from '../platform/system-clock.ts'
import { createReplays } from '../replay/replay-session.ts'
import { createBudgetBook } from '../usage/budget-book.ts'
import { createPriceBook } from '../usage/price-book.ts'

/** A whole conversation is larger than any other request. */
const CONVERSATION_LIMITS = { bytes: 64 * 1024 * 1024, depth: 64, keys: 1_000_000, stringLength: 16 * 1024 * 1024 }

/** The routes of our own protocol, with what they ask the server. */
export function createConsoleApp(deps: DoorDeps, listener: ListenerKind): HttpApp {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.route(BASE_PATH, createConsoleRoutes(toConsoleDeps(deps)))
  if (listener === 'owner') addOwnerRoutes(app, deps)
  return app
}

function addOwnerRoutes(app: HttpApp, deps: DoorDeps): void {
  const { parts, handOver } = deps
  const { engine, agents } = parts
  app.route(BASE_PATH, createOwnerRoutes({ engine, agents, ...toRequestDeps(deps) }))
  app.route(
    BASE_PATH,
    createDoctorRoutes(() => factsOf(deps)),
  )
  if (handOver !== undefined) app.route(HAND_OVER_PATH, createHandOverRoutes(handOver))
}

async function factsOf({ parts, status }: DoorDeps): Promise<LiveFacts> {
  const { version, phase, url } = status()
  const lastStorageFault = parts.metrics.storageFaults.secondsSinceLast()
  const { url: database, software } = await parts.storage.describe()
  return {
    version,
    phase,
    ...(url !== undefined && { url }),
    node: process.versions.node,
    database,
    databaseSoftware: software,
    uptimeS: Math.round(process.uptime()),
    openStreams: parts.streams.count,
    runningTurns: parts.turns.count,
    storageFaults: parts.metrics.storageFaults.total,
    ...(lastStorageFault !== undefined && { lastStorageFault }),
    rssBytes: process.memoryUsage.rss(),
  }
}

function toConsoleDeps({
  parts,
  config,
  authenticate,
  status,
  doors,
  signInLink,
  embedLink,
  cardCodes,
}: DoorDeps): ConsoleDeps {
  const { permissions } = config
  const { engine, events, agents, keys, users, memories, usage, rules, mcp } = parts
  const operator = toOperatorPolicy(permissions)
  const budgets = createBudgetBook(config)
  return {
    ...toRequestDeps({ parts, authenticate }),
    engine,
    events,
    agents,
    keys,
    users,
    signInLink,
    embedLink,
    embedHosts: config.embed.hosts,
    cardCodes,
    memories,
    commands: parts.commands,
    usage,
    rules,
    doors: {
      present: (session) =>
        doors().flatMap((door) => {
          const presentation = door.present?.(session)
          return presentation === undefined ? [] : [{ name: door.name, presentation }]
        }),
      async clients(sessionId) {
        const elsewhere = await parts.clientsElsewhere?.of(sessionId)
        return [...readersOf(doors(), sessionId), ...(elsewhere ?? [])]
      },
    },
    async readRows(asked) {
      const reader = doors().find((door) => door.readRows !== undefined)
      if (reader?.readRows === undefined) throw new Error('no door reads rows')
      return reader.readRows(asked)
    },
    permissions,
    isAboveCeiling: (preset, userId) => isAboveCeiling(preset, userId, permissions.ceiling),
    judgeTool: (tool, { userId, preset, rules: userRules }) =>
      verdictsOf(tool, policyOf({ access: { type: 'preset' }, preset, userId }, operator, userRules)),
    budgetsOf(keyId) {
      return { currency: budgets.currency, of: (agent) => budgets.budgetsOf(agent, keyId) }
    },
    backtest: (query) => backtest(query, { events, agents, clock: systemClock, operator }),
    replay: createReplays(events, {
      agents,
      operator,
      rules,
      prices: createPriceBook({ prices: config.prices, providers: config.providers, env: process.env }),
      budgets,
      usage,
    }),
    status,
    listModels: () => listModels(parts, config),
    mcp() {
      const tools = new Map(
        agents
          .list()
          .flatMap((agent) => agent.tools.filter(isMcpTool))
          .map((tool) => [tool.name, tool]),
      )
      return {
        servers: mcp.health(),
        tools: [...tools.values()].map(({ name, server, title, description, effect }) => ({
          name,
          server,
          title,
          description,
          effect,
        })),
      }
    },
    nodes: listNodes({ ...parts, startedAt: () => status().startedAt }),
    isOperator: (userId) => userId === LOCAL_USER,
    fetchImage: (url) => fetchImage(url, { ...config.webFetch, digest: sha256 }),
    random: randomBytes,
  }
}

const toRequestDeps = ({ parts, authenticate }: Pick<DoorDeps, 'parts' | 'authenticate'>): RequestDeps => ({
  authenticate,
  reads: parts.reads,
  streams: parts.streams,
  clock: systemClock,
  bodyLimits: { small: smallBodyLimits, conversation: CONVERSATION_LIMITS },
})
