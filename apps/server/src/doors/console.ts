import {
  BASE_PATH,
  createConsoleRoutes,
  createOwnerRoutes,
  type ConsoleDeps,
  type RequestDeps,
} from '@polylogue/console'
import { isMcpTool } from '@polylogue/tools'
import type { Authenticate } from '../auth/authenticate.ts'
import { LOCAL_USER } from '../auth/key-ring.ts'
import type { Parts } from '../compose.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { smallBodyLimits } from '../http/read-json-body.ts'
import type { HttpApp } from '../http/request-listener.ts'
import { backtest } from '../permissions/backtest.ts'
import { isAboveCeiling } from '../permissions/cap-presets.ts'
import { toOperatorPolicy } from '../permissions/permissions-schema.ts'
import { randomBytes } from '../platform/random-bytes.ts'
import { systemClock } from '../platform/system-clock.ts'

export { BASE_PATH as CONSOLE_PATH } from '@polylogue/console'

/** A whole conversation is larger than any other request. */
const CONVERSATION_LIMITS = { bytes: 64 * 1024 * 1024, depth: 64, keys: 1_000_000, stringLength: 16 * 1024 * 1024 }

export interface ConsoleDoorDeps {
  readonly parts: Parts
  readonly config: LoadedConfig
  readonly authenticate: Authenticate
  readonly status: ConsoleDeps['status']
}

export function mountConsole(app: HttpApp, deps: ConsoleDoorDeps): void {
  app.route(BASE_PATH, createConsoleRoutes(toConsoleDeps(deps)))
}

/** For the owner socket, beside what everybody has. */
export function mountOwnerConsole(app: HttpApp, { parts, authenticate }: Omit<ConsoleDoorDeps, 'status'>): void {
  const { engine, agents } = parts
  app.route(BASE_PATH, createOwnerRoutes({ engine, agents, ...toRequestDeps(authenticate) }))
}

function toConsoleDeps({ parts, config: { permissions }, authenticate, status }: ConsoleDoorDeps): ConsoleDeps {
  const { engine, events, agents, keys, memories, usage, rules, mcp } = parts
  const operator = toOperatorPolicy(permissions)
  return {
    ...toRequestDeps(authenticate),
    engine,
    events,
    agents,
    keys,
    memories,
    usage,
    rules,
    permissions,
    isAboveCeiling: (preset, userId) => isAboveCeiling(preset, userId, permissions.ceiling),
    backtest: (query) => backtest(query, { events, agents, clock: systemClock, operator }),
    status,
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
    isOperator: (userId) => userId === LOCAL_USER,
    clock: systemClock,
    random: randomBytes,
  }
}

const toRequestDeps = (authenticate: Authenticate): RequestDeps => ({
  authenticate,
  bodyLimits: { small: smallBodyLimits, conversation: CONVERSATION_LIMITS },
})
