export { loadAcpFrameChecker, type AcpFrameChecker } from './acp-frame-checker.ts'
export { hourlyCalendar } from './hourly-calendar.ts'
export { createFakeClock, type FakeClock } from './fake-clock.ts'
export { createTestIds } from './test-ids.ts'
export { testDigest } from './test-digest.ts'
export { plainParts } from './plain-parts.ts'
export { plainSecretBox } from './plain-secret-box.ts'
export { createMemoryCluster, type Delivery, type MemoryCluster } from './memory-cluster.ts'
export { createMemoryEventStore, type MemoryEventStore } from './memory-event-store.ts'
export { createMemoryKeyStore } from './memory-key-store.ts'
export { createMemoryKeptStore } from './memory-kept-store.ts'
export { createMemoryMemoryStore } from './memory-memory-store.ts'
export { createMemoryRuleStore } from './memory-rule-store.ts'
export { createMemoryScheduleStore } from './memory-schedule-store.ts'
export { createMemorySignInStore } from './memory-sign-in-store.ts'
export { createMemoryUserStore } from './memory-user-store.ts'
export { createMemoryUsageStore, type MemoryUsageStore } from './memory-usage-store.ts'
export { createFakeParts } from './fake-parts.ts'
export { createFakeModel, calls, finishes, says, thinks, type FakeModel, type FakeStep } from './fake-model.ts'
export { createInvocation, type InvocationOptions } from './create-invocation.ts'
export { createAgentTool, createQuestionTool } from './performed-tools.ts'
export { createFakeTool, type FakeTool, type FakeToolOptions } from './fake-tool.ts'
export { createTestEngine, type TestEngine, type TestEngineOptions } from './create-test-engine.ts'
export { eventStoreContract, type OpenedEventStore } from './event-store-contract.ts'
export { keptStoreContract, type OpenedKeptStore } from './kept-store-contract.ts'
export { keyStoreContract, type OpenedKeyStore } from './key-store-contract.ts'
export { memoryStoreContract, type OpenedMemoryStore } from './memory-store-contract.ts'
export { scheduleStoreContract, type OpenedScheduleStore } from './schedule-store-contract.ts'
export { signInStoreContract, type OpenedSignInStore } from './sign-in-store-contract.ts'
export { userStoreContract, type OpenedUserStore } from './user-store-contract.ts'
export { ruleStoreContract, type OpenedRuleStore } from './rule-store-contract.ts'
export { usageStoreContract, type OpenedUsageStore } from './usage-store-contract.ts'
export { createReaderLog, type ReadItem, type ReaderLog } from './reader-log.ts'
export { createProcessStore, type ProcessStore } from './process-store.ts'
export { hangs } from './hangs.ts'
export {
  deny,
  grant,
  restart,
  result,
  settledCalls,
  startSession,
  useSession,
  type TestSession,
} from './start-session.ts'
export { untilQuiet } from './until-quiet.ts'
export { asRecorded, createDecideContext, createJudging, createTestAgent, foldEvents, given } from './given-events.ts'
export { SLOW_SCHEMAS, type SlowSchema } from './slow-schemas.ts'
