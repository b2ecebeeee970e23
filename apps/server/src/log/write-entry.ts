import { StorageFault, type LogEntry } from '@polylogue/engine'
import type { Log } from './log.ts'

/** Writes an entry of the engine, its tools or its doors as a line of the log. */
export function writeEntry(log: Log, { level, message, error, ...fields }: LogEntry): void {
  // The fault log describes a storage fault once, so operations that it blocks only name its kind.
  if (error instanceof StorageFault) log[level]({ ...fields, fault: error.kind }, message)
  else log[level](error === undefined ? fields : { ...fields, err: error }, message)
}
