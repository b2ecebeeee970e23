import { join } from 'node:path'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'
import { connectOwner } from './connect-owner.ts'
import { tryLock } from './try-lock.ts'

/** Another process owns the data directory. */
export class OwnedByAnother extends ServeError {}

/** Until released, this process alone writes below `dataDir`. The lock ends with the process, however that ends. */
export async function takeOwnership(dataDir: string): Promise<{ release(): void }> {
  const lock = tryLock(join(dataDir, 'owner.lock'))
  if (lock !== undefined) return lock
  throw new OwnedByAnother(await describeOwner(dataDir), EXIT_FAILURE)
}

async function describeOwner(dataDir: string): Promise<string> {
  const owner = await connectOwner(dataDir)
  if (owner === undefined) return `Another process is starting or stopping on ${dataDir}. Try again in a moment.`
  await owner.close()
  const place = owner.url === undefined ? '' : ` at ${owner.url}`
  return `Polylogue runs on ${dataDir} already (pid ${owner.pid}${place}). Stop it, or choose another directory with --data.`
}
