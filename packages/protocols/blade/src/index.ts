export { createBladeRoutes } from './rest/routes.ts'
export type { ApiKeys, AuthOutcome, BladeRestDeps, BodyOutcome, Caller } from './rest/deps.ts'
export { readTurns } from './projection/read-turns.ts'
export type { Describe } from './projection/scene.ts'
export type {
  AskUserAnswer,
  Attachment,
  ChatEnd,
  ContentBlock,
  ContentBlockType,
  Json,
  MemoryRef,
  PatchEnvelope,
  ServerEvents,
  Session,
  SessionStatus,
  SystemError,
  SystemNotification,
  ToolCallProjection,
  TurnProjection,
  TurnStatus,
} from './wire.ts'
