import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { EXIT_FAILURE } from '../serve-error.ts'
import { connectOwner } from './connect-owner.ts'
import { HAND_OVER_PATH } from './hand-over-path.ts'
import { OwnedByAnother } from './owned-by-another.ts'
import { isAbsence } from './owner-absence.ts'
import { lockFile, type FileLock } from '../stores.ts'

/** Slightly longer than the grace period that an owner gives its turns before it hands over. */
const HAND_OVER_MS = 40_000
const LOOK_AGAIN_MS = 50
const ACCEPTED = 202
const UNAVAILABLE = 503

export interface TakeOwnershipOptions {
  /** Ask an owner that an editor started to hand over, and wait for it. */
  readonly insists: boolean
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
  /** Called once, when the owner has agreed. */
  waiting?(): void
}

/** Until the lock is released, only this process writes below `dataDir`. The lock ends with the process, even on a kill. */
export async function takeOwnership(
  dataDir: string,
  { insists, signal, waiting }: TakeOwnershipOptions,
): Promise<FileLock> {
  const givesUpAt = performance.now() + HAND_OVER_MS
  let isPromised = false
  for (;;) {
    const lock = lockFile(join(dataDir, 'owner.lock'))
    if (lock !== undefined) return lock
    const answer = insists && performance.now() < givesUpAt ? await askToHandOver(dataDir) : 'refused'
    if (answer === 'promised' && !isPromised) waiting?.()
    isPromised ||= answer === 'promised'
    if (answer === 'refused' || !isPromised) throw new OwnedByAnother(await describeOwner(dataDir), EXIT_FAILURE)
    await delay(LOOK_AGAIN_MS)
    signal?.throwIfAborted()
  }
}

/** `leaving`: the owner no longer answers, or says that it is stopping. */
async function askToHandOver(dataDir: string): Promise<'promised' | 'leaving' | 'refused'> {
  const owner = await connectOwner(dataDir)
  if (owner === undefined) return 'leaving'
  try {
    const { status } = await owner.request('POST', HAND_OVER_PATH)
    if (status === ACCEPTED) return 'promised'
    return status === UNAVAILABLE ? 'leaving' : 'refused'
  } catch (error) {
    if (isAbsence(error)) return 'leaving'
    throw error
  } finally {
    await owner.close()
  }
}

async function describeOwner(dataDir: string): Promise<string> {
  const owner = await connectOwner(dataDir)
  if (owner === undefined) return `Another process is starting or stopping on ${dataDir}. Try again in a moment.`
  await owner.close()
  const place = owner.url === undefined ? '' : ` at ${owner.url}`
  return `Polylogue runs on ${dataDir} already (pid ${owner.pid}${place}). Stop it, or choose another directory with --data.`
}
