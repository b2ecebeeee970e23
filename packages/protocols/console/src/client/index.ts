// The client of the protocol, for browsers and for Node. It imports nothing but zod and the contract.
export {
  createConsoleClient,
  createOwnerClient,
  type ConsoleClient,
  type OwnerClient,
  type RequestOf,
} from './create-console-client.ts'
export { ConsoleRefusal } from './console-refusal.ts'
export { spellOut, spellOutLine } from './spell-out.ts'
export {
  createFetchTransport,
  type FetchTransportOptions,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
export { PRESETS } from '../contract/fields.ts'
export type { ImportedMessage, ImportedPart } from '../contract/import-session.ts'
export type { Key } from '../contract/keys.ts'
export type { Memory } from '../contract/memories.ts'
export type { AgentBudgets, AgentCard } from '../contract/agents.ts'
export type { ModelCard, ModelList } from '../contract/models.ts'
export { operations, type Operations } from '../contract/operations.ts'
export { BASE_PATH } from '../light/base-path.ts'
export type { BacktestResult, NewRule, Rule, RuleProposal, StoredRule, TestedCall } from '../contract/permissions.ts'
export type { SessionCommand } from '../contract/commands.ts'
export type { RecordedCall } from '../contract/calls.ts'
export type { Hit } from '../contract/search.ts'
export type { AttachedClient, DoorsRow, PresentedMessage } from '../contract/doors.ts'
export type { QueuedInput } from '../contract/queue.ts'
export type { ReplayDifference, ReplayReport } from '../contract/recordings.ts'
export type { McpServer, McpTool, ServerStatus } from '../contract/server.ts'
export type { Message, MessagePart, Session, SessionRecord } from '../contract/sessions.ts'
export {
  USAGE_GROUPINGS,
  type UsageAmounts,
  type UsageGrouping,
  type UsageReport,
  type UsageRow,
} from '../contract/usage.ts'
export type { ShownTurn, TurnsPage } from '../contract/turns.ts'
export type { User } from '../contract/users.ts'
export type { WaitingCall } from '../contract/waiting.ts'
