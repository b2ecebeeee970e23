import type { Model } from './model.ts'
import type { Tool } from './tool.ts'

/** An agent as its author defined it. Fixed while the server runs. */
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
  /** In tokens; what the model says unless given. */
  readonly contextWindow?: number
  /** How long it may work as a sub-agent; 30 minutes unless said otherwise. */
  readonly deadlineMs?: number
  /** What its sessions may be for; a session has one of them, or none. */
  readonly roles?: readonly AgentRole[]
}

export interface AgentRole {
  readonly id: string
  readonly name: string
  readonly description?: string
  /** Added to the instructions of the agent. */
  readonly instructions: string
  /** Whether a session in this role begins by planning. */
  readonly isPlanning?: boolean
  /** The tools of the agent that it has; absent: all. */
  readonly tools?: readonly string[]
  /** What a client may show before its user has said anything. */
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

/** What clients of this agent may use. Doors advertise it and refuse the rest. */
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
