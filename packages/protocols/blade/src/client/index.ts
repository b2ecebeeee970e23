// A client of the protocol, for browsers and for Node. It imports neither the engine nor Node.
export { BladeClient, type Ack, type BladeClientOptions, type Connection } from './blade-client.ts'
export {
  BladeRefusal,
  createBladeApi,
  type BladeApi,
  type BladeApiOptions,
  type NewBladeSession,
  type SessionList,
  type SessionQuery,
} from './blade-api.ts'
export { BladeSession, type BladeSessionOptions, type ReadTurns, type SessionSnapshot } from './blade-session.ts'
export { type BridgeEvent } from './find-bridges.ts'
export { applyPatch } from '../fold/apply-patch.ts'
export { SessionFold, toTurn, type FoldOptions } from '../fold/session-fold.ts'
export { PAGE_SIZE, type TurnPage } from '../fold/turn-pages.ts'
export type {
  AskUserAnswer,
  Attachment,
  BladeOutput,
  ContentBlock,
  ContentBlockType,
  Json,
  MemoryRef,
  MessageContent,
  MessagePart,
  Patch,
  PatchEnvelope,
  SendOptions,
  ServerEvents,
  Session,
  SessionDetail,
  SessionStatus,
  Solution,
  SystemError,
  SystemNotification,
  TurnPayload,
  ToolCallProjection,
  ToolCallStatus,
  TurnProjection,
  TurnStatus,
} from '../wire.ts'
