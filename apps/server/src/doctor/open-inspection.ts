import { inspectDatabase, type DatabaseInspection } from '@polylogue/store-sqlite'
import { systemClock } from '../platform/system-clock.ts'

/** SQLite's codes CORRUPT and NOTADB. */
const UNUSABLE: readonly number[] = [11, 26]

/** `undefined` for a file that is no database of ours, as far as can be seen. */
export function openInspection(file: string): DatabaseInspection | undefined {
  try {
    return inspectDatabase(file, systemClock.now())
  } catch (error) {
    if (error instanceof Error && (!('errcode' in error) || UNUSABLE.includes(Number(error.errcode) & 0xff))) {
      return undefined
    }
    throw error
  }
}
