import type { Labels, Preset, RecordedEvent } from '@polylogue/engine'

/** A session's settings, folded from its log. */
export interface SessionSettings {
  readonly agent: string
  readonly preset: Preset
  readonly model: string | undefined
  readonly thinking: string | undefined
  readonly title: string | undefined
  readonly labels: Labels
}

export const NO_SETTINGS: SessionSettings = {
  agent: '',
  preset: 'workspace-write',
  model: undefined,
  thinking: undefined,
  title: undefined,
  labels: {},
}

/** Returns the same object when nothing changed. */
export function foldSettings(settings: SessionSettings, event: RecordedEvent): SessionSettings {
  if (event.type === 'session.created') {
    const { preset, model, thinking, title, labels } = event.settings
    return { agent: event.agent, preset, model, thinking, title, labels }
  }
  if (event.type !== 'session.configured') return settings
  const { preset, model, thinking, title, labels } = event.settings
  if ([preset, model, thinking, title, labels].every((setting) => setting === undefined)) return settings
  return {
    ...settings,
    preset: preset ?? settings.preset,
    model: model ?? settings.model,
    thinking: thinking ?? settings.thinking,
    title: title ?? settings.title,
    labels: { ...settings.labels, ...labels },
  }
}
