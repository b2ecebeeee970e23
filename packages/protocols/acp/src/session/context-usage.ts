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
  readonly #tokens = { input: 0, output: 0 }
  #asked = ''
  #model = ''
  #used: number | undefined
  #seq = 0
  /** The last event that a fork copied from its parent. Model calls up to it belong to the parent. */
  #copiedThrough = 0

  constructor(options: ContextUsageOptions) {
    this.#options = options
  }

  /** Takes every event of the session in order. Returns whether the usage changed. */
  recorded(event: RecordedEvent): boolean {
    this.#seq += 1
    if (event.type === 'session.created') this.#copiedThrough = event.origin?.throughSeq ?? 0
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

  /** For people. */
  describe(agent: string): string {
    const { input, output } = this.#tokens
    if (input + output === 0) return 'Nothing was used in this session yet.'
    const size = this.#windowOf(agent)
    const share =
      size === undefined ? '' : ` of ${size.toLocaleString('en')} (${Math.round((100 * (this.#used ?? 0)) / size)} %)`
    const costs = [...this.#spent].map(([currency, nano]) => `${(nano / NANO).toFixed(4)} ${currency}`)
    return [
      `- Context: ${(this.#used ?? 0).toLocaleString('en')} tokens${share}`,
      `- Read by models: ${input.toLocaleString('en')} tokens`,
      `- Written by models: ${output.toLocaleString('en')} tokens`,
      `- Cost: ${costs.length === 0 ? 'unknown' : costs.join(' and ')}`,
    ].join('\n')
  }

  #spend(usage: Usage | undefined): void {
    if (usage === undefined || this.#seq <= this.#copiedThrough) return
    this.#tokens.input += usage.inputTokens
    this.#tokens.output += usage.outputTokens
    if (usage.cost === undefined) return
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
