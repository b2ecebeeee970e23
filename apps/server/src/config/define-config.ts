import type { Tool } from '@polylogue/engine'
import type { mcpServersSchema } from '@polylogue/tools'
import type { z } from 'zod'
import type { ProviderConfigs } from '@polylogue/models'
import type { AcpSettings } from '../acp/acp-settings.ts'
import type { PermissionSettings } from '../permissions/permissions-schema.ts'
import type { budgetsSchema, pricesSchema } from '../usage/cost-schema.ts'
import type { AgentConfig, ModelName } from './define-agent.ts'
import type { Limits } from './limits.ts'
import type { ToolSettings } from './tool-settings.ts'

export interface Config {
  readonly agents?: readonly AgentConfig[]
  /** Tools that agents name instead of holding them; agents written in Markdown can have no others. */
  readonly tools?: readonly Tool[]
  /** Who answers a client that names no agent; the first agent if left out. */
  readonly defaultAgent?: string
  /** Of agents that name none. If left out: the first provider with a key, else a local server, else the demo. */
  readonly defaultModel?: ModelName
  /** Providers of models by name: those that are not known yet, and what differs for those that are. */
  readonly providers?: ProviderConfigs
  /** What becomes of a turn whose process died: it goes on, or it ends as interrupted. `continue` if left out. */
  readonly recovery?: 'continue' | 'interrupt'
  readonly limits?: Partial<Limits>
  /** What nobody may do here, and the most that others than the user `local` may give a session. */
  readonly permissions?: Partial<PermissionSettings>
  /** Which directories editors that come over the network may work in. */
  readonly acp?: Partial<AcpSettings>
  /** What models cost, by a pattern of `provider/model` such as `openai/gpt-*`; for a million tokens. */
  readonly prices?: z.input<typeof pricesSchema>
  /** What may be spent before somebody is asked, by a turn, a session and an API key. */
  readonly budgets?: z.input<typeof budgetsSchema>
  /** MCP servers by name; their tools are called `mcp_<server>_<tool>`. */
  readonly mcpServers?: z.input<typeof mcpServersSchema>
  /** How the built-in tool `Bash` runs commands. */
  readonly bash?: Partial<ToolSettings['bash']>
  /** What the built-in tool `WebFetch` may reach beside the public network. */
  readonly webFetch?: Partial<ToolSettings['webFetch']>
  /** Directories with skills for the built-in tool `Skill`, relative to the configuration; `skills` if left out. */
  readonly skills?: readonly string[]
  /** Web pages of these origins may call the server, such as `https://app.example`. */
  readonly allowOrigins?: readonly string[]
  /** The address that clients use when the server stands behind a proxy. */
  readonly publicUrl?: string
  /** Addresses or networks of proxies in front; only their `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[]
}

/** Gives a configuration its types; it is checked when the server loads it. */
export function defineConfig(config: Config): Config {
  return config
}
