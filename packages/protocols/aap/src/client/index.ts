export { AapError, TurnCutOff } from './aap-error.ts'
export { createAapClient, type AapClient, type AapClientOptions } from './aap-client.ts'
export { AapSession, type Answers, type SessionOptions } from './aap-session.ts'
export { defineClientTool, type ClientTool, type StandardSchema, type ToolDefinition } from './client-tool.ts'
export type { PendingCall } from './pending-calls.ts'
export type { ReceivedEvent } from './read-events.ts'
export type { AgentChanges, NewSession, NewTurn, TurnMessage } from './requests.ts'
export type {
  AapVersion,
  HistoryType,
  StopReason,
  StreamMode,
  WireBlock,
  WireContent,
  WireEvent,
  WireMessage,
  WireMeta,
  WireSession,
  WireToolSpec,
} from '../wire.ts'
export { createTurnClient, type CallAnswer, type OfferedAgent, type TurnClient, type TurnInput } from './turn-client.ts'
export type { StreamedUpdate } from './follow-turn.ts'
export {
  ConnectionLost,
  TurnRefusal,
  type TurnRequest,
  type TurnResponse,
  type TurnTransport,
} from './turn-transport.ts'
export type { StopOutcome, TurnUpdate } from './turn-update.ts'
