import type { Cost, SessionUpdate } from '@agentclientprotocol/sdk'
import { NANO, type AgentCatalog, type ModelCatalog, type RecordedEvent, type Usage } from '@polylogue/engine'
import { isRoot } from '../projection/is-root.ts'

export interface ContextUsageOptions {
  readonly agents: AgentCatalog
  readonly models: ModelCatalog
}

/** How full the root agent's context is, and the cost of the session including its sub-agents. */
export class ContextUsage {
  readonly #options: ContextUsageOptions
  /** Cost in billionths, by currency. */
  readonly #spent = new Map<string, number>()
  #asked = ''
  #model = ''
  #used: number | undefined

  constructor(options: ContextUsageOptions) {
    this.#options = options
  }

  /** Returns whether the usage changed. */
  recorded(event: RecordedEvent): boolean {
    switch (event.type) {
      case 'step.started':
        if (isRoot(event.loopId)) this.#asked = event.model
        return false
      case 'step.answered':
        // Questions that the engine asks itself do not use the model.
        if (event.by === 'engine') return false
        this.#spend(event.usage)
        if (!isRoot(event.loopId)) return false
        this.#model = this.#asked
        this.#used = event.usage.inputTokens + event.usage.outputTokens
        return true
      case 'step.ended':
        this.#spend(event.usage)
        return false
      case 'compaction.ended':
        this.#spend(event.usage)
        if (!isRoot(event.loopId) || event.tokensAfter === undefined) return false
        this.#used = event.tokensAfter
        return true
      default:
        return false
    }
  }

  /** Returns nothing before the first answer, and when the model's context window is unknown. */
  tell(agent: string): SessionUpdate[] {
    const size = this.#windowOf(agent)
    if (size === undefined || this.#used === undefined) return []
    const cost = this.#cost()
    return [{ sessionUpdate: 'usage_update', used: this.#used, size, ...(cost && { cost }) }]
  }

  #spend(usage: Usage | undefined): void {
    if (usage?.cost === undefined) return
    const { currency, nano } = usage.cost
    this.#spent.set(currency, (this.#spent.get(currency) ?? 0) + nano)
  }

  /** ACP has one amount in one currency: sessions with several currencies report none. */
  #cost(): Cost | undefined {
    const [only, ...others] = this.#spent
    return only === undefined || others.length > 0 ? undefined : { amount: only[1] / NANO, currency: only[0] }
  }

  #windowOf(name: string): number | undefined {
    const agent = this.#options.agents.find(name)
    if (agent?.modelName === this.#model) return agent.contextWindow ?? agent.model.contextWindow
    return this.#options.models.find(this.#model)?.model.contextWindow
  }
}
