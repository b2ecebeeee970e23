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
export { toTurnMessages, type CallAnswer } from './call-answer.ts'
export type { Reconnect } from './follow-turn.ts'
export { toOfferedAgents, type OfferedAgent } from './offered-agent.ts'
export type { Fetch } from './transport.ts'
export {
  toStreamedUpdate,
  toStreamedUpdates,
  type StopOutcome,
  type StreamedUpdate,
  type TurnUpdate,
} from './turn-update.ts'
