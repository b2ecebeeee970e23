import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import type { Preset, RecordedEvent } from '@polylogue/engine'
import { sessionConfigOptions } from '../config-options.ts'
import { currentModel } from '../model-names.ts'
import { toModes } from '../modes.ts'
import type { SessionParts } from './session-parts.ts'
import { NO_SETTINGS, foldSettings, type SessionSettings } from './session-settings.ts'

/** The settings of a session, and what the client can choose. */
export class SessionChoices {
  readonly #parts: Pick<SessionParts, 'deps' | 'options'>
  #settings: SessionSettings = NO_SETTINGS

  constructor(parts: Pick<SessionParts, 'deps' | 'options'>) {
    this.#parts = parts
  }

  recorded(event: RecordedEvent): void {
    this.#settings = foldSettings(this.#settings, event)
  }

  get settings(): SessionSettings {
    return this.#settings
  }

  get preset(): Preset {
    return this.#settings.preset
  }

  get modes(): SessionModeState {
    return toModes(this.#settings, this.#parts.options.rights.presets)
  }

  get configOptions(): SessionConfigOption[] {
    return this.configOptionsOf(this.#settings)
  }

  configOptionsOf(settings: SessionSettings): SessionConfigOption[] {
    const { deps, options } = this.#parts
    const { agents, models } = deps
    return sessionConfigOptions(settings, {
      agents,
      models,
      profile: options.profile,
      presets: options.rights.presets,
    })
  }

  /** `provider/model` */
  get model(): string | undefined {
    const { agents, models } = this.#parts.deps
    return currentModel(this.#settings.model, agents.find(this.#settings.agent), models)
  }

  /** Whether the session's model is no longer available. */
  get hasLostModel(): boolean {
    return this.#settings.model !== undefined && this.model !== this.#settings.model
  }
}
