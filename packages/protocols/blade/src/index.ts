export type { DescribedOperation } from './rest/operation.ts'
export { createBladeRoutes } from './rest/routes.ts'
export type { ApiKeys, AuthOutcome, BladeRestDeps, Caller } from './rest/deps.ts'
export { attachBlade } from './socket/attach-blade.ts'
export { createBladeSockets, type BladeSockets } from './socket/create-blade-sockets.ts'
export type {
  AttachedFile,
  BladeSocketDeps,
  ConnectedClient,
  SocketCaller,
  SocketLimits,
  SocketWatch,
} from './socket/deps.ts'
export { BladeClient, type Ack, type BladeClientOptions } from './client/blade-client.ts'
export { SessionFold } from './fold/session-fold.ts'
export { presentSession, type PresentedEvent, type SessionPresentation } from './projection/present-session.ts'
export { ProjectionMarks } from './projection/projection-marks.ts'
export { RowReader, type RowPage, type RowsAsked, type ShownRow } from './projection/row-reader.ts'
export { readTurns } from './projection/read-turns.ts'
export type { Describe } from './projection/scene.ts'
export type {
  AskUserAnswer,
  Attachment,
  BladeOutput,
  ChatEnd,
  ContentBlock,
  ContentBlockType,
  Json,
  MemoryRef,
  PatchEnvelope,
  SendOptions,
  ServerEvents,
  Session,
  SessionStatus,
  SystemError,
  SystemNotification,
  ToolCallProjection,
  TurnProjection,
  TurnStatus,
} from './wire.ts'
