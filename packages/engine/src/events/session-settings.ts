import { z } from 'zod'
import { type Stored, jsonObject, names, texts } from '../stored-schema.ts'

/**
 * The settings of a session: what a door can set when it creates a session and change later. Only this file of the
 * engine lists them. A new setting is declared in `shape` and gets a default in `sessionSettings` for older logs;
 * commands, events, state and views follow from it.
 */

const preset = z.enum(['read-only', 'workspace-write', 'full-access', 'plan'])

const toolGrant = z.object({
  name: z.string(),
  trust: z.boolean().optional(),
  /** The trusted definition of a tool that a third party defines. Set by the engine. */
  definition: z.string().optional(),
})

/**
 * The agent's tools that a session has. `listed`: the exposed tools that its client named, each trusted or not.
 * `preset`: all of them, judged by the preset.
 */
const toolAccess = z.discriminatedUnion('type', [
  z.object({ type: z.literal('listed'), tools: z.array(toolGrant) }),
  z.object({ type: z.literal('preset') }),
])

/** A tool that the client runs. The engine offers it to the model and waits for its result. */
const clientTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  parameters: jsonObject,
})

const shape = {
  access: toolAccess,
  clientTools: z.array(clientTool),
  /** As the client set them, without the agent's defaults. The value of a secret is `***`. */
  options: texts,
  /** Kept with the session, so that a secret stays hidden when its agent changes or disappears. */
  secretOptions: names,
  preset,
  /** The directories that the client named, the working directory first. Empty: the session has its own directory. */
  directories: names,
  /** Absent: the start of the first user message. */
  title: z.string().optional(),
  /** One of the agent's roles. */
  role: z.string().optional(),
  /** `provider/model`. Absent: the agent's own model. */
  model: z.string().optional(),
  /** How much the model thinks: one of its levels. Absent: as much as it does by default. */
  thinking: z.string().optional(),
  /** Tools of the agent that this session does not have. */
  disabledTools: names,
  /** Whether the user's memories are recalled. */
  recallsMemories: z.boolean(),
  isPinned: z.boolean(),
  /** Whether other users may read the session. */
  isShared: z.boolean(),
  /** Whether requests to models and their answers are kept with the session. Absent: no. */
  isRecorded: z.boolean().optional(),
  /** Notes of a door about the session, under the door's own names. The engine never reads them. */
  labels: texts,
}

export const sessionSettings = z.object({
  ...shape,
  clientTools: shape.clientTools.default([]),
  options: shape.options.default({}),
  secretOptions: shape.secretOptions.default([]),
  preset: shape.preset.default('workspace-write'),
  directories: shape.directories.default([]),
  disabledTools: shape.disabledTools.default([]),
  recallsMemories: shape.recallsMemories.default(true),
  isPinned: shape.isPinned.default(false),
  isShared: shape.isShared.default(false),
  labels: shape.labels.default({}),
})

/** Contains only changes. `options` and `labels` are merged by name. An empty label, title or thinking level is removed. */
export const settingsChange = z.object(shape).partial()

export type Preset = Stored<typeof preset>
export type ToolGrant = Stored<typeof toolGrant>
export type ToolAccess = Stored<typeof toolAccess>
export type ClientTool = Stored<typeof clientTool>
export type Labels = SessionSettings['labels']
export type SessionSettings = Stored<typeof sessionSettings>
export type SettingsChange = Stored<typeof settingsChange>
/** The required settings of a new session. The others have defaults. */
export type NewSettings = Pick<SessionSettings, 'access'> & SettingsChange

/** The settings of a new session. Ignores fields of `given` that are not settings. */
export function createSettings(given: NewSettings): SessionSettings {
  return withoutEmptyTexts(sessionSettings.parse(given))
}

export function mergeSettings(settings: SessionSettings, change: SettingsChange): SessionSettings {
  return withoutEmptyTexts({
    ...settings,
    ...definedOf(change),
    options: { ...settings.options, ...change.options },
    secretOptions: [...new Set([...settings.secretOptions, ...(change.secretOptions ?? [])])],
    labels: change.labels === undefined ? settings.labels : mergeLabels(settings.labels, change.labels),
  })
}

/** The part of `wanted` that differs from the settings. Lists and tool access count as different whenever they are given. */
export function differingSettings(settings: SessionSettings, wanted: SettingsChange): SettingsChange {
  const current = new Map<string, unknown>(
    Object.entries({ ...settings, title: settings.title ?? '', thinking: settings.thinking ?? '' }),
  )
  const { labels = {}, ...others } = definedOf(settingsChange.parse(wanted))
  const changed = Object.entries(others).filter(
    ([name, value]) => typeof value === 'object' || current.get(name) !== value,
  )
  const changedLabels = Object.entries(labels).filter(([name, text]) => (settings.labels[name] ?? '') !== text)
  return {
    ...Object.fromEntries(changed),
    ...(changedLabels.length > 0 && { labels: Object.fromEntries(changedLabels) }),
  }
}

const definedOf = (change: SettingsChange): SettingsChange =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

function withoutEmptyTexts(settings: SessionSettings): SessionSettings {
  if (settings.title !== '' && settings.thinking !== '') return settings
  const { title, thinking, ...others } = settings
  return { ...others, ...(title && { title }), ...(thinking && { thinking }) }
}

const mergeLabels = (labels: Labels, changes: Labels): Labels =>
  Object.fromEntries(Object.entries({ ...labels, ...changes }).filter(([, text]) => text !== ''))
