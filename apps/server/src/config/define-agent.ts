import type { AgentFeatures, Budgets, Model, Tool } from '@polylogue/engine'

/** A model of a provider, such as `anthropic/claude-sonnet-5-5`, or a built-in one. */
export type ModelName = 'demo' | 'scripted' | `${string}/${string}`

export interface AgentConfig {
  /** Letters, digits, `.`, `_` and `-`; unique on the server. */
  readonly name: string
  readonly title?: string
  /** A semantic version. Default: `1.0.0`. */
  readonly version?: string
  readonly description?: string
  /** The system prompt. */
  readonly instructions: string
  /** Default: the default model. */
  readonly model?: ModelName | Model
  /** The recorded name of your own model, `provider/model`. */
  readonly modelName?: string
  /** Tools made with `defineTool`, names of those under `tools` of the configuration, or names of built-in tools. */
  readonly tools?: readonly (Tool | string)[]
  readonly options?: readonly OptionConfig[]
  /** What clients may use. Default: everything but images. */
  readonly features?: Partial<AgentFeatures>
  readonly maxSteps?: number
  /** Names of agents that it may start with the tool `Agent`. */
  readonly subAgents?: readonly string[]
  /** Names of the MCP servers whose tools it has. Default: all. */
  readonly mcpServers?: readonly string[]
  /** How long it may run as a sub-agent. Default: 30 minutes. */
  readonly deadlineMs?: number
  /** The context window of its model in tokens. Near it, older messages are summarized. */
  readonly contextWindow?: number
  /** What its turns and sessions may spend before a person is asked. Default: the budgets of the server. */
  readonly budgets?: Pick<Budgets, 'turn' | 'session'>
  /** The working directory of all its sessions, relative to the configuration. Default: one directory per session. */
  readonly workspace?: string
}

/** An option that clients may set for a session. A secret has no default, because every client would see it. */
export type OptionConfig = { readonly name: string; readonly title?: string; readonly description?: string } & (
  | { readonly type: 'text'; readonly default?: string }
  | { readonly type: 'secret' }
  /** Default: the first choice. */
  | { readonly type: 'select'; readonly choices: readonly string[]; readonly default?: string }
)

/** Gives an agent its types. It is checked when the configuration is loaded. */
export function defineAgent(agent: AgentConfig): AgentConfig {
  return agent
}
