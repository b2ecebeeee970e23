import type { Model } from './model.ts'
import type { Tool } from './tool.ts'

/** An agent as its author defined it. It does not change while the server runs. */
export interface AgentDefinition {
  readonly name: string
  readonly title?: string
  /** Semantic version. */
  readonly version: string
  readonly description?: string
  /** The system prompt. */
  readonly instructions: string
  readonly model: Model
  /** `provider/model`, recorded with every step. */
  readonly modelName: string
  readonly tools: readonly Tool[]
  readonly options: readonly AgentOption[]
  readonly features: AgentFeatures
  readonly maxSteps: number
  /** The context window in tokens. Default: the model's own window. */
  readonly contextWindow?: number
  /** The time limit when it works as a sub-agent. Default: 30 minutes. */
  readonly deadlineMs?: number
  /** The model is told about the place where the session works, and follows the instructions in its files. */
  readonly isToldSurroundings?: boolean
  /** The roles that a session can choose from. A session has at most one role. */
  readonly roles?: readonly AgentRole[]
}

export interface AgentRole {
  readonly id: string
  readonly name: string
  readonly description?: string
  /** Added to the instructions of the agent. */
  readonly instructions: string
  /** Whether a session in this role starts with planning. */
  readonly isPlanning?: boolean
  /** The subset of the agent's tools that the role has. Absent: all of them. */
  readonly tools?: readonly string[]
  /** Suggestions that a client can show before the user's first message. */
  readonly firstMessage?: string
}

export type AgentOption = {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly default: string
} & (
  | { readonly type: 'text' }
  | { readonly type: 'secret' }
  | { readonly type: 'select'; readonly choices: readonly string[] }
)

/** The features that clients of this agent may use. Doors advertise them and refuse all others. */
export interface AgentFeatures {
  readonly histories: readonly ('compacted' | 'full')[]
  readonly streams: readonly ('delta' | 'message' | 'none')[]
  readonly clientTools: boolean
  readonly images: readonly ('http' | 'data')[]
}

export interface AgentCatalog {
  find(name: string): AgentDefinition | undefined
  list(): readonly AgentDefinition[]
}
