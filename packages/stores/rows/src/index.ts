export {
  type ChecksummedEvent,
  type SessionChecksums,
  checksumsIn,
  type ChecksummedKey,
  checksumOfKey,
} from './checksum.ts'
export { REPAIR_HINT, damaged } from './damage.ts'
export { type StoredMemory, type MemoryColumns, memoryIn, toMemoryColumns } from './memory-row.ts'
export { type Row, textIn, integerIn, bytesIn, optionalTextIn, optionalIntegerIn } from './row.ts'
export {
  type Columns,
  type StoredSlot,
  scheduleIn,
  toScheduleColumns,
  slotIn,
  toSlotColumns,
  toStoredSlot,
  runsIn,
} from './schedule-row.ts'
export { checksumOfUser, userIn } from './user-row.ts'
export { type UsageGroups, createUsageGroups } from './usage-groups.ts'
export { type StoredKey, keyIn } from './key-row.ts'
export { type RuleRow, checksumOfRule, inOrder, ruleIn } from './rule-row.ts'
export { checksumOfMark, markIn, type MarkPlace } from './mark-row.ts'
export { type Place, blobIn, draftIn, incomplete, recordedIn, sessionIn, snapshotIn, takePage } from './session-rows.ts'
export { type TransferBatch, toBatches, toTransferRow } from './transfer-rows.ts'
export {
  type ColumnType,
  type TransferTable,
  TRANSFER_TABLES,
  transferColumns,
  transferTables,
} from './transfer-tables.ts'
