import type { SessionConfigOption, SessionUpdate } from '@agentclientprotocol/sdk'
import {
  describeSpentBudget,
  toReadableLine,
  type AgentCatalog,
  type EventOf,
  type ModelCatalog,
  type RecordedEvent,
} from '@polylogue/engine'
import type { ClientAbilities } from '../client-abilities.ts'
import type { AcpProfile } from '../deps.ts'
import { currentModeId } from '../modes.ts'
import { chunk } from '../projection/chunk.ts'
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
    return [...this.#instructions(event), ...this.#compaction(event), ...this.#budget(event), ...usage]
  }

  usage(agent: string): SessionUpdate[] {
    return this.#usage.tell(agent)
  }

  describeUsage(agent: string): string {
    return this.#usage.describe(agent)
  }

  #settingsChanged(before: SessionSettings, after: SessionSettings): SessionUpdate[] {
    const updates = this.#options.isChanging() ? [] : this.#othersChanges(before, after)
    if (after.title !== before.title && after.title !== undefined) {
      updates.push({ sessionUpdate: 'session_info_update', title: toReadableLine(after.title) })
    }
    return updates
  }

  #othersChanges(before: SessionSettings, after: SessionSettings): SessionUpdate[] {
    const { profile, configOptions } = this.#options
    const mode = currentModeId(after)
    const isOptionChanged = before.preset !== after.preset || before.thinking !== after.thinking
    const isOtherOption = profile === 'standard' && isOptionChanged
    return [
      ...(mode === currentModeId(before)
        ? []
        : [{ sessionUpdate: 'current_mode_update', currentModeId: mode } as const]),
      ...(isOtherOption || before.model !== after.model
        ? [{ sessionUpdate: 'config_option_update', configOptions: configOptions(after) } as const]
        : []),
    ]
  }

  /** Names each instruction file to the user when it is first used or no longer trusted. */
  #instructions(event: RecordedEvent): SessionUpdate[] {
    if (event.type !== 'surroundings.noted') return []
    return event.sources.flatMap(({ notice }, index) =>
      notice === undefined ? [] : this.#notice(`${event.turnId}_instructions_${index}`, notice),
    )
  }

  #compaction(event: RecordedEvent): SessionUpdate[] {
    if (event.type !== 'compaction.started' && event.type !== 'compaction.ended') return []
    if (!isRoot(event.loopId)) return []
    const { compactionId } = event
    if (!this.#options.abilities.showsCompactions)
      return this.#notice(`${compactionId}_${event.type}`, compactionSentence(event))
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

  /** A used-up budget also comes as a question, which not every client shows as such. */
  #budget(event: RecordedEvent): SessionUpdate[] {
    if (event.type !== 'step.answered' || event.budget === undefined) return []
    return this.#notice(`${event.stepId}_budget`, describeSpentBudget(event.budget))
  }

  /** Clients that do not show notices get a thought, except in profile seed. */
  #notice(messageId: string, title: string): SessionUpdate[] {
    const { abilities, profile } = this.#options
    if (abilities.showsNotices) return [{ sessionUpdate: 'notice', severity: 'info', title }]
    return profile === 'seed' ? [] : [chunk('agent_thought_chunk', messageId, title)]
  }
}

function compactionSentence(event: EventOf<'compaction.started'> | EventOf<'compaction.ended'>): string {
  if (event.type === 'compaction.started') return 'The conversation is being summarized to make room.'
  if (event.outcome === 'completed') return 'The older part of the conversation was summarized.'
  return event.error?.message ?? 'The conversation could not be summarized.'
}
