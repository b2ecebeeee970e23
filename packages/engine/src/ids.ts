/** Branded strings, so that ids of different kinds cannot be mixed up. Doors brand parsed ids; no other code casts. */
declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

export type SessionId = Branded<'SessionId'>
export type UserId = Branded<'UserId'>
export type TurnId = Branded<'TurnId'>
/** One node of the conversation: a user's input or a step. */
export type EntryId = Branded<'EntryId'>
export type ToolCallId = Branded<'ToolCallId'>
/** `root` for the agent itself. A sub-agent has its own loop inside the parent's log. */
export type LoopId = Branded<'LoopId'>

export const asSessionId = (text: string): SessionId => text as SessionId
export const asUserId = (text: string): UserId => text as UserId
export const asTurnId = (text: string): TurnId => text as TurnId
export const asEntryId = (text: string): EntryId => text as EntryId
export const asToolCallId = (text: string): ToolCallId => text as ToolCallId
export const asLoopId = (text: string): LoopId => text as LoopId

export const ROOT_LOOP = asLoopId('root')
