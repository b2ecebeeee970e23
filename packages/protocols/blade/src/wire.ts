/**
 * The types of Blade's wire, inferred from the schemas in `schema/`. Optional fields are sent as `null`. This file has
 * type imports only, so that a browser can use it without zod, Node or the engine.
 */
import type { askUserAnswerSchema, messagePartSchema, sendRequestSchema } from './schema/client-events.ts'
import type { Given, Json, Sent } from './schema/fields.ts'
import type {
  addedContentSchema,
  chatEndSchema,
  patchEnvelopeSchema,
  patchSchema,
  serverEventSchemas,
  systemErrorSchema,
  systemNotificationSchema,
  turnPayloadSchema,
} from './schema/server-events.ts'
import type { sessionDetailSchema, sessionSchema, solutionSchema } from './schema/session.ts'
import type {
  attachmentSchema,
  contentBlockSchema,
  memoryRefSchema,
  pendingQuestionSchema,
  toolCallSchema,
  turnSchema,
} from './schema/turn.ts'

export type { Json }

export type Session = Sent<typeof sessionSchema>
export type SessionStatus = Session['status']
export type SessionDetail = Sent<typeof sessionDetailSchema>
export type Solution = Sent<typeof solutionSchema>

/** One entry of the conversation: a user message, a model call, a system note or a compaction. */
export type TurnProjection = Sent<typeof turnSchema>
export type TurnStatus = TurnProjection['status']
export type Attachment = Sent<typeof attachmentSchema>
export type ContentBlock = Sent<typeof contentBlockSchema>
export type ContentBlockType = ContentBlock['type']
export type ToolCallProjection = Sent<typeof toolCallSchema>
export type ToolCallStatus = ToolCallProjection['status']
export type PendingQuestionRef = Sent<typeof pendingQuestionSchema>
export type MemoryRef = Sent<typeof memoryRefSchema>

export type Patch = Sent<typeof patchSchema>
export type PatchEnvelope = Sent<typeof patchEnvelopeSchema>
export type AddedContent = Sent<typeof addedContentSchema>
export type TurnPayload = Sent<typeof turnPayloadSchema>
export type ChatEnd = Sent<typeof chatEndSchema>
export type SystemError = Sent<typeof systemErrorSchema>
export type SystemNotification = Sent<typeof systemNotificationSchema>

export type AskUserAnswer = Sent<typeof askUserAnswerSchema>
export type MessagePart = Sent<typeof messagePartSchema>
export type MessageContent = string | readonly MessagePart[]
/** All fields of `chat:send` besides the session and the message. */
export type SendOptions = Omit<Given<typeof sendRequestSchema>, 'session_id' | 'message'>

/** The payload of each event that the server sends, by the event's name. */
export type ServerEvents = {
  readonly [Name in keyof typeof serverEventSchemas]: Sent<(typeof serverEventSchemas)[Name]>
}

/** One event for a session's subscribers. */
export type BladeOutput = {
  readonly [Name in keyof ServerEvents]: { readonly event: Name; readonly payload: ServerEvents[Name] }
}[keyof ServerEvents]
