import type { AgentFeatures, Budgets, Model, Tool } from '@polylogue/engine'

/** One of a provider, such as `anthropic/claude-sonnet-5-5`, or one that comes with the server. */
export type ModelName = 'demo' | 'scripted' | `${string}/${string}`

export interface AgentConfig {
  /** Letters, digits, `.`, `_` and `-`; unique on the server. */
  readonly name: string
  readonly title?: string
  /** A semantic version; `1.0.0` if left out. */
  readonly version?: string
  readonly description?: string
  /** The system prompt. */
  readonly instructions: string
  /** The default model if left out. */
  readonly model?: ModelName | Model
  /** What is recorded for a model of one's own, `provider/model`. */
  readonly modelName?: string
  /** Tools made with `defineTool`, names of those under `tools` of the configuration, or names of built-in tools. */
  readonly tools?: readonly (Tool | string)[]
  readonly options?: readonly OptionConfig[]
  /** What clients may use; what is left out keeps its default: everything but images. */
  readonly features?: Partial<AgentFeatures>
  readonly maxSteps?: number
  /** Names of agents that it may hand work to with the tool `Agent`. */
  readonly subAgents?: readonly string[]
  /** Names of the configuration's MCP servers whose tools it has; all of them if left out. */
  readonly mcpServers?: readonly string[]
  /** How long it may work as a sub-agent; 30 minutes if left out. */
  readonly deadlineMs?: number
  /** How many tokens its model takes; near that, older messages are summed up. */
  readonly contextWindow?: number
  /** What its turns and sessions may spend before somebody is asked; those of the server if left out. */
  readonly budgets?: Pick<Budgets, 'turn' | 'session'>
  /** A directory that all its sessions work in, relative to the configuration; if left out, each has one of its own. */
  readonly workspace?: string
}

/** What a client may set for its session. A secret has no default: that would be shown to every client. */
export type OptionConfig = { readonly name: string; readonly title?: string; readonly description?: string } & (
  | { readonly type: 'text'; readonly default?: string }
  | { readonly type: 'secret' }
  /** The default is the first choice if left out. */
  | { readonly type: 'select'; readonly choices: readonly string[]; readonly default?: string }
)

/** Gives an agent its types; it is checked when the configuration is loaded. */
export function defineAgent(agent: AgentConfig): AgentConfig {
  return agent
}
