import { z } from 'zod'
import { conversationMessage } from '../content.ts'
import { type Stored, entryId, jsonObject, names, sessionId, texts, userId } from '../stored-schema.ts'
import { defineEvent } from './define-event.ts'

export const preset = z.enum(['read-only', 'workspace-write', 'full-access', 'plan'])

const toolGrant = z.object({ name: z.string(), trust: z.boolean().optional() })

/**
 * Which of the agent's tools a session has. `listed`: the exposed tools that its client named, each trusted or not.
 * `preset`: all of them, judged by the preset.
 */
export const toolAccess = z.discriminatedUnion('type', [
  z.object({ type: z.literal('listed'), tools: z.array(toolGrant) }),
  z.object({ type: z.literal('preset') }),
])

/** A tool that the client runs. The engine offers it to the model and waits for its result. */
export const clientTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  parameters: jsonObject,
})

/** Notes that a door keeps about a session, under names of its own. The engine never reads them. */
export const labels = texts

export const sessionCreated = defineEvent('session.created', {
  sessionId,
  userId,
  agent: z.string(),
  access: toolAccess,
  clientTools: z.array(clientTool),
  /** As the client set them, without defaults. The value of a secret is `***`. */
  options: texts,
  /** Kept with the session, so that a secret stays hidden when its agent changes or disappears. */
  secretOptions: names,
  preset,
  /** The directories that the client named, the working directory first. Absent: the session has its own directory. */
  directories: names.optional(),
  /** Absent: the first thing that the user says. */
  title: z.string().optional(),
  /** One of the agent's roles. */
  role: z.string().optional(),
  /** `provider/model`. Absent: the agent's own model. */
  model: z.string().optional(),
  /** Tools of the agent that this session does not have. */
  disabledTools: names.optional(),
  /** Whether the user's memories are recalled. Absent: they are. */
  recallsMemories: z.boolean().optional(),
  labels: labels.optional(),
})

export const sessionSeeded = defineEvent('session.seeded', { entryId, messages: z.array(conversationMessage) })

/** Holds only what changed. `options` and `labels` are merged by name; lists are replaced as a whole. */
export const sessionConfigured = defineEvent('session.configured', {
  access: toolAccess.optional(),
  clientTools: z.array(clientTool).optional(),
  options: texts.optional(),
  secretOptions: names.optional(),
  preset: preset.optional(),
  title: z.string().optional(),
  model: z.string().optional(),
  disabledTools: names.optional(),
  recallsMemories: z.boolean().optional(),
  isPinned: z.boolean().optional(),
  /** Whether other users may read the session. */
  isShared: z.boolean().optional(),
  /** An empty text removes a label. */
  labels: labels.optional(),
})

export type Preset = Stored<typeof preset>
export type ToolGrant = Stored<typeof toolGrant>
export type ToolAccess = Stored<typeof toolAccess>
export type ClientTool = Stored<typeof clientTool>
export type Labels = Stored<typeof labels>
export type SessionCreated = Stored<typeof sessionCreated>
export type SessionSeeded = Stored<typeof sessionSeeded>
export type SessionConfigured = Stored<typeof sessionConfigured>
