import type { SessionConfigOption, SessionUpdate } from '@agentclientprotocol/sdk'
import type { AgentCatalog, ModelCatalog, RecordedEvent } from '@polylogue/engine'
import type { ClientAbilities } from '../client-abilities.ts'
import type { AcpProfile } from '../deps.ts'
import { currentModeId } from '../modes.ts'
import { isRoot } from '../projection/is-root.ts'
import type { SessionSettings } from './session-settings.ts'

export interface LiveNotesOptions {
  readonly agents: AgentCatalog
  readonly models: ModelCatalog
  readonly abilities: ClientAbilities
  readonly profile: AcpProfile
  configOptions(settings: SessionSettings): SessionConfigOption[]
  /** The client itself is setting something, and learns by other ways what became of it. */
  isChanging(): boolean
}

/** What clients are told of the present and never of the past: how full the context is, what the session is set to. */
export class LiveNotes {
  readonly #options: LiveNotesOptions
  #asked = ''
  #model = ''
  #used: number | undefined

  constructor(options: LiveNotesOptions) {
    this.#options = options
  }

  /** What this event gives to tell, should anybody be told. */
  recorded(event: RecordedEvent, before: SessionSettings, after: SessionSettings): SessionUpdate[] {
    switch (event.type) {
      case 'session.configured':
        return this.#settingsChanged(before, after)
      case 'step.started':
        if (isRoot(event.loopId)) this.#asked = event.model
        return []
      case 'step.answered':
        // A question about a budget is no answer of a model.
        if (!isRoot(event.loopId) || event.by === 'engine') return []
        this.#model = this.#asked
        this.#used = event.usage.inputTokens + event.usage.outputTokens
        return this.usage(after.agent)
      case 'compaction.started':
        if (!this.#options.abilities.showsCompactions || !isRoot(event.loopId)) return []
        return [{ sessionUpdate: 'compaction_update', compactionId: event.compactionId, status: 'in_progress' }]
      case 'compaction.ended':
        return this.#compacted(event, after.agent)
      default:
        return []
    }
  }

  /** Nothing while it is not known. */
  usage(agent: string): SessionUpdate[] {
    const size = this.#windowOf(agent)
    if (size === undefined || this.#used === undefined) return []
    return [{ sessionUpdate: 'usage_update', used: this.#used, size }]
  }

  #settingsChanged(before: SessionSettings, after: SessionSettings): SessionUpdate[] {
    const updates = this.#options.isChanging() ? [] : this.#othersChanges(before, after)
    if (after.title !== before.title && after.title !== undefined) {
      updates.push({ sessionUpdate: 'session_info_update', title: after.title })
    }
    return updates
  }

  #othersChanges(before: SessionSettings, after: SessionSettings): SessionUpdate[] {
    const { profile, configOptions } = this.#options
    const mode = currentModeId(after)
    const hasModeOption = profile === 'standard' && before.preset !== after.preset
    return [
      ...(mode === currentModeId(before)
        ? []
        : [{ sessionUpdate: 'current_mode_update', currentModeId: mode } as const]),
      ...(hasModeOption || before.model !== after.model
        ? [{ sessionUpdate: 'config_option_update', configOptions: configOptions(after) } as const]
        : []),
    ]
  }

  #compacted(event: Extract<RecordedEvent, { type: 'compaction.ended' }>, agent: string): SessionUpdate[] {
    const { compactionId, outcome, summary, error, loopId, tokensAfter } = event
    if (!isRoot(loopId)) return []
    const updates: SessionUpdate[] = []
    if (this.#options.abilities.showsCompactions) {
      updates.push({
        sessionUpdate: 'compaction_update',
        compactionId,
        status: outcome,
        ...(summary !== undefined && { summary: [{ type: 'text', text: summary }] }),
        ...(error && { error: error.message }),
      })
    }
    if (tokensAfter === undefined) return updates
    this.#used = tokensAfter
    return [...updates, ...this.usage(agent)]
  }

  #windowOf(name: string): number | undefined {
    const agent = this.#options.agents.find(name)
    if (agent?.modelName === this.#model) return agent.contextWindow ?? agent.model.contextWindow
    return this.#options.models.find(this.#model)?.model.contextWindow
  }
}
