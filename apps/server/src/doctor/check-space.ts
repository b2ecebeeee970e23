import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Patient } from './examine.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const MEBIBYTE = 1024 * 1024
const LITTLE = 1024 * MEBIBYTE
const TOO_LITTLE = 64 * MEBIBYTE
const LONG_WAL = 256 * MEBIBYTE

export async function checkSpace({ storage, dataDir }: Patient): Promise<readonly Finding[]> {
  const { directory = dataDir, logBytes, bytes } = await storage.describe()
  const place = [directory, dataDir, dirname(dataDir)].find((path) => existsSync(path))
  if (place === undefined) return []
  const { bavail, bsize } = statfsSync(place)
  return [describeSpace(bavail * bsize, place), describeWal(logBytes, bytes)]
}

function describeSpace(free: number, place: string): Finding {
  const message = `${inMebibytes(free)} free at ${place}.`
  if (free < TOO_LITTLE) return fail('disk', message, 'Free some space: nothing can be stored on a full disk.')
  return free < LITTLE ? warn('disk', message, 'Free some space before the disk is full.') : ok('disk', message)
}

function describeWal(wal: number, database: number): Finding {
  const message = `The database takes ${inMebibytes(database)}, its write-ahead log ${inMebibytes(wal)}.`
  if (wal < LONG_WAL) return ok('disk', message)
  return warn(
    'disk',
    message,
    'Another program holds the database open for reading, so the log cannot shrink. Stop it.',
  )
}

function inMebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE).toLocaleString('en-GB')} MiB`
}
