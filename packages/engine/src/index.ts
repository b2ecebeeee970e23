export {
  ROOT_LOOP,
  asEntryId,
  asLoopId,
  asSessionId,
  asToolCallId,
  asTurnId,
  asUserId,
  type EntryId,
  type LoopId,
  type SessionId,
  type ToolCallId,
  type TurnId,
  type UserId,
} from './ids.ts'
export type { JsonObject, JsonValue } from './json.ts'
export {
  quotePrompt,
  textOf,
  type AssistantContent,
  type AssistantPart,
  type ImagePart,
  type ImageSource,
  type OpaqueData,
  type ConversationMessage,
  type StepBlock,
  type TextPart,
  type ThinkingPart,
  type ToolCallPart,
  type ToolContent,
  type Usage,
  type UserContent,
} from './content.ts'
export type { CallRoute, StepFinish, StepOutcome } from './events/step-events.ts'
export type { CallStatus, CoverOffer, FileChange, GivenAnswer } from './events/call-events.ts'
export {
  createSettings,
  mergeSettings,
  type ClientTool,
  type Labels,
  type NewSettings,
  type Preset,
  type SessionSettings,
  type SettingsChange,
  type ToolAccess,
  type ToolGrant,
} from './events/session-settings.ts'
export type { EventOf, Failure, Recorded, RecordedEvent } from './events/recorded-event.ts'
export type { LoopOutcome } from './events/loop-events.ts'
export type { InstructionSource, TurnOutcome, TurnSettings } from './events/turn-events.ts'
export type {
  BlockDelta,
  CallInput,
  Cursor,
  LiveBatch,
  LiveEvent,
  StepRetry,
  ToolProgress,
} from './events/live-event.ts'
export { EngineError, unreachable, type EngineErrorCode } from './errors.ts'
export { failpoint, observeFailpoints, type FailpointObserver } from './failpoint.ts'
export type { Clock, Timer } from './ports/clock.ts'
export type { Digest, Ids, RandomBytes } from './ports/ids.ts'
export type {
  Editor,
  EditorOf,
  EditorReader,
  EditorTerminal,
  EditorTerminals,
  EditorWriter,
  TerminalCommand,
  TerminalExit,
  TerminalOutput,
} from './ports/editor.ts'
export type { SecretBox } from './ports/secret-box.ts'
export type { StaleSession } from './ports/event-store.ts'
export type { UserRecord, UserRole, UserStore } from './ports/user-store.ts'
export type { ModelCatalog, NamedModel, OfferedModel } from './ports/model-catalog.ts'
export type { Model, ModelMessage, ModelOutput, ModelRequest, OfferedTool } from './ports/model.ts'
export {
  RESULT_TOOL,
  kindOf,
  type InputCheck,
  type InspectedFrom,
  type Tool,
  type ToolEffect,
  type ToolInvocation,
  type ToolOutput,
  type RootPin,
  type Workspace,
} from './ports/tool.ts'
export type { ToolKind } from './events/tool-kind.ts'
export type { Description, Place, Surroundings } from './ports/surroundings.ts'
export type { WorkspaceOwner, Workspaces } from './ports/workspaces.ts'
export type { BoundTool, PermissionRule, RuleAction, RuleStore, StoredRule } from './ports/rule-store.ts'
export type {
  CallFacts,
  FileFacts,
  CallInspection,
  CallPreview,
  FetchFacts,
  FileDiff,
  FileLocation,
  ShellFacts,
} from './events/call-facts.ts'
export { policyOf, type OperatorPolicy } from './permission/policy-of.ts'
export type { HostLists, Policy, Verdict } from './permission/policy.ts'
export {
  describeAccess,
  describeApprovalReason,
  parseApprovalReason,
  type ApprovalReason,
} from './permission/approval-reason.ts'
export { isOffered, judgeCall, verdictsOf } from './permission/judge-call.ts'
export { strictest } from './permission/strictest.ts'
export { coverVerdict, type SessionOverride } from './permission/cover-verdict.ts'
export { createMatchBudget, matchesRule, type RuledCall } from './permission/match-rule.ts'
export type { MatchBudget } from './permission/pattern.ts'
export { parseRule, ruleProblems } from './permission/rule-schema.ts'
export { RULE_LIMITS, findRuleExcess } from './permission/rule-room.ts'
export { grantToPerson, hashCall, issueGrant, requireGrant } from './permission/grant.ts'
export type { Grant, GrantedCall } from './ports/grant.ts'
export type { AgentCatalog, AgentDefinition, AgentFeatures, AgentOption, AgentRole } from './ports/agent.ts'
export {
  PAGE_BYTES,
  StorageFault,
  storedBytesOf,
  type AppendConflict,
  type AppendRequest,
  type AppendResult,
  type Blob,
  type Draft,
  type EventStore,
  type Fence,
  type LeaseClaim,
  type ListingPage,
  type ListingQuery,
  type NewBlob,
  type NewReceipt,
  type Receipt,
  type SealedSecret,
  type SessionHead,
  type SessionListing,
  type SessionQuery,
  type SessionRow,
  type Snapshot,
  type WatchedHead,
  type StorageRoom,
} from './ports/event-store.ts'
export {
  ALL_NODES,
  type BusListener,
  type BusMessage,
  type LimitCount,
  type SessionClient,
  type LiveBus,
  type SharedLive,
} from './ports/live-bus.ts'
export type { Dispatcher, DispatchWorker, JobProblem } from './ports/dispatcher.ts'
export type { ClusterParts } from './engine-parts.ts'
export { BusInbox, encodeBusText } from './cluster/bus-codec.ts'
export { BusOutbox, type BusOutboxOptions } from './cluster/bus-outbox.ts'
export {
  NODE_ROLES,
  type KnownNode,
  type Backlog,
  type NodeBeat,
  type NodeFacts,
  type NodeRole,
  type Nodes,
  type SessionLease,
  type SessionPlace,
} from './ports/nodes.ts'
export type { KeyRecord, KeyStore, NewKey } from './ports/key-store.ts'
export type { MarkKind, MarkStore, StoredMark } from './ports/mark-store.ts'
export { KEPT_LIMITS, type KeptEntry, type KeptStore } from './ports/kept-store.ts'
export { SIGN_IN_LIMITS, type NewSignInCode, type SignInStore } from './ports/sign-in-store.ts'
export type {
  SharedStorage,
  Storage,
  StorageDescription,
  SharedState,
  Standby,
  StorageInspection,
  StoredEvent,
  StoredKey,
  StoredSecret,
  StoredSession,
  Stores,
} from './ports/stores.ts'
export type { TransferRow, TransferValue } from './ports/transfer.ts'
export {
  MEMORY_LIMITS,
  type AddedMemory,
  type Memory,
  type MemoryChanges,
  type MemoryFields,
  type MemoryPage,
  type MemoryQuery,
  type MemoryRecordType,
  type MemoryStore,
  type MemoryType,
  type NewMemory,
} from './ports/memory-store.ts'
export {
  DAY_MS,
  type UsageGrouping,
  type UsageQuery,
  type UsageRow,
  type UsageStore,
  type UsageSum,
} from './ports/usage-store.ts'
export { addSums, addUpTrees, type TreeSum } from './cost/add-up-trees.ts'
export type { Budget, BudgetBook, Budgets } from './cost/budget.ts'
export type { SpentBudget } from './events/spent-budget.ts'
export { NANO, costOf, type Price, type PriceBook, type Rates } from './cost/price.ts'
export { NOTHING_SPENT, addCall } from './cost/spending.ts'
export type { Spending } from './ports/usage-store.ts'
export { formatMoney } from './cost/budget-question.ts'
export {
  SCHEDULE_LIMITS,
  type NewRun,
  type OpenRun,
  type RunMove,
  type RunStatus,
  type Schedule,
  type ScheduleRun,
  type ScheduleStore,
  type Slot,
  type SlotOutcome,
  type StandingSchedule,
} from './ports/schedule-store.ts'
export type { SlotCalendar, SlotProblem } from './ports/slot-calendar.ts'
export { createScheduleBook, type Occurrences, type ScheduleBook } from './schedule/schedule-book.ts'
export { ScheduleError, type ScheduleErrorCode } from './schedule/schedule-error.ts'
export { LATE_MS, type NewSchedule, type ScheduleChanges } from './schedule/schedule-rules.ts'
export { createScheduleRunner, type ScheduleRunner, type ScheduleRunnerDeps } from './schedule/schedule-runner.ts'
export { createScheduledTurns, type RunEnd, type ScheduledTurns } from './schedule/scheduled-turns.ts'
export {
  changeMemory,
  countHit,
  createMemory,
  isRecallable,
  matchesQuery,
  supersedeMemory,
} from './memory/memory-rules.ts'
export { askedWords, memoryWords } from './memory/memory-words.ts'
export { rankMemories, type MemoryCandidate, type MemoryCollection } from './memory/rank-memories.ts'
export type {
  AdmittedTurn,
  AnswerCalls,
  CallAnswer,
  CancelCall,
  CancelTurn,
  Command,
  CommandResults,
  CompactSession,
  ConfigureSession,
  CreateSession,
  ForkSession,
  CreatedSession,
  DeleteSession,
  IdempotencyKey,
  SessionChanges,
  StartTurn,
} from './session/command.ts'
export type { Attachment, SessionReader } from './events/session-reader.ts'
export type {
  Engine,
  HistoryMessages,
  HistoryView,
  ReadAs,
  SessionMatches,
  SessionPage,
  SessionSearch,
} from './engine/engine-api.ts'
export { readSummary } from './views/session-list.ts'
export type { SessionView } from './views/session-view.ts'
export { foldText, foldTitle } from './search/fold-text.ts'
export { normalizeText } from './search/normalize-text.ts'
export { hasTerm, toSearchTerms, toSearchTokens, type SearchTerm } from './search/search-tokens.ts'
export { SPOKEN_TYPES, spokenText, spokenTextIn } from './search/spoken-text.ts'
export { decodeEvent, encodeEvent, type EncodedEvent } from './events/codec.ts'
export {
  EVENT_LEVELS,
  LOWEST_LEVEL,
  levelOfEvents,
  ownLevel,
  pretendLevel,
  type PretendedLevel,
} from './events/levels.ts'
export { EVENT_VERSIONS } from './events/upcast.ts'
export { createIds } from './create-ids.ts'
export { createEngine, type EngineOptions } from './engine/create-engine.ts'
export type { Judging } from './turn/judge-calls.ts'
export type { EngineLimits, Outputs, LogEntry } from './engine-parts.ts'
export { describeSpentBudget } from './cost/budget-question.ts'
export { ASK_IN_TEXT } from './session/decide-answers.ts'
export { evolve } from './state/evolve.ts'
export { cutAtCharacter, titleOf } from './state/title-of.ts'
export { readSnapshot } from './state/snapshot.ts'
export type { SessionState } from './state/session-state.ts'
export type { QueuedInput } from './state/session-state.ts'
export type { SubAgent, WaitingApproval, WaitingCall } from './views/waiting-calls.ts'
export { canonicalJson } from './canonical-json.ts'
export { spellOut, spellOutLine, toReadable, toReadableLine } from './spell-out.ts'
export { SegmentReader, type SegmentEnd, type SegmentOptions, type SegmentPresenter } from './views/segment-reader.ts'
export type { ShownCall } from './views/shown-calls.ts'
export { SessionFollower, UNHURRIED, type FollowerOptions, type Pace } from './engine/session-follower.ts'
export { readExchange, type KeptRequest, type ModelExchange } from './turn/model-exchange.ts'
export { replayLog } from './replay/replay-later.ts'
export type { ReplayDifference, ReplayOptions, ReplayReport } from './replay/replay-log.ts'
export type { ReplayParts } from './replay/replay-scene.ts'
