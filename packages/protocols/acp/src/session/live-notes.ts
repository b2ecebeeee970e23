import type { SessionConfigOption, SessionUpdate } from '@agentclientprotocol/sdk'
import type { AgentCatalog, ModelCatalog, RecordedEvent } from '@polylogue/engine'
import type { ClientAbilities } from '../client-abilities.ts'
import type { AcpProfile } from '../deps.ts'
import { currentModeId } from '../modes.ts'
import { isRoot } from '../projection/is-root.ts'
import { ContextUsage } from './context-usage.ts'
import type { SessionSettings } from './session-settings.ts'

export interface LiveNotesOptions {
  readonly agents: AgentCatalog
  readonly models: ModelCatalog
  readonly abilities: ClientAbilities
  readonly profile: AcpProfile
  configOptions(settings: SessionSettings): SessionConfigOption[]
  /** Whether this client is changing a setting. It learns the result from the response. */
  isChanging(): boolean
}

/** Updates that are sent live and never replayed: context usage and settings. */
export class LiveNotes {
  readonly #options: LiveNotesOptions
  readonly #usage: ContextUsage

  constructor(options: LiveNotesOptions) {
    this.#options = options
    this.#usage = new ContextUsage(options)
  }

  /** Returns the updates that follow from an event. */
  recorded(event: RecordedEvent, before: SessionSettings, after: SessionSettings): SessionUpdate[] {
    const usage = this.#usage.recorded(event) ? this.usage(after.agent) : []
    if (event.type === 'session.configured') return this.#settingsChanged(before, after)
    return [...this.#compaction(event), ...usage]
  }

  usage(agent: string): SessionUpdate[] {
    return this.#usage.tell(agent)
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

  #compaction(event: RecordedEvent): SessionUpdate[] {
    if (event.type !== 'compaction.started' && event.type !== 'compaction.ended') return []
    if (!this.#options.abilities.showsCompactions || !isRoot(event.loopId)) return []
    const { compactionId } = event
    if (event.type === 'compaction.started') {
      return [{ sessionUpdate: 'compaction_update', compactionId, status: 'in_progress' }]
    }
    const { outcome, summary, error } = event
    return [
      {
        sessionUpdate: 'compaction_update',
        compactionId,
        status: outcome,
        ...(summary !== undefined && { summary: [{ type: 'text', text: summary }] }),
        ...(error && { error: error.message }),
      },
    ]
  }
}
