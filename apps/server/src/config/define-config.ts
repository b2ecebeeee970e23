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
  /** Tools that agents refer to by name. Agents in Markdown can only use these and built-in tools. */
  readonly tools?: readonly Tool[]
  /** The agent for clients that name none. Default: the first agent. */
  readonly defaultAgent?: string
  /** The model of agents that name none. Default: the first provider with a key, else a local server, else the demo. */
  readonly defaultModel?: ModelName
  /** Model providers by name: additional ones, and changes to known ones. */
  readonly providers?: ProviderConfigs
  /** Whether a turn whose process died continues or ends as interrupted. Default: `continue`. */
  readonly recovery?: 'continue' | 'interrupt'
  readonly limits?: Partial<Limits>
  /** Deny rules for everyone, and the highest preset for users other than `local`. */
  readonly permissions?: Partial<PermissionSettings>
  /** The directories that network editors may work in. */
  readonly acp?: Partial<AcpSettings>
  /** Prices per million tokens, by a pattern of `provider/model` such as `openai/gpt-*`. */
  readonly prices?: z.input<typeof pricesSchema>
  /** What a turn, a session and an API key may spend before a person is asked. */
  readonly budgets?: z.input<typeof budgetsSchema>
  /** MCP servers by name. Their tools are named `mcp_<server>_<tool>`. */
  readonly mcpServers?: z.input<typeof mcpServersSchema>
  /** How the built-in tool `Bash` runs commands. */
  readonly bash?: Partial<ToolSettings['bash']>
  /** What the built-in tool `WebFetch` may reach besides the public network. */
  readonly webFetch?: Partial<ToolSettings['webFetch']>
  /** Directories with skills for the built-in tool `Skill`, relative to the configuration. Default: `skills`. */
  readonly skills?: readonly string[]
  /** Web pages of these origins may call the server, such as `https://app.example`. */
  readonly allowOrigins?: readonly string[]
  /** The address that clients use when the server is behind a proxy. */
  readonly publicUrl?: string
  /** Addresses or networks of trusted proxies. `X-Forwarded-For` is used only from these. */
  readonly trustedProxies?: readonly string[]
}

/** Gives a configuration its types. It is checked when the server loads it. */
export function defineConfig(config: Config): Config {
  return config
}
