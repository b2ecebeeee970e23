import { existsSync, statSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Patient } from './examine.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const MEBIBYTE = 1024 * 1024
const LITTLE = 1024 * MEBIBYTE
const TOO_LITTLE = 64 * MEBIBYTE
const LONG_WAL = 256 * MEBIBYTE

export async function checkSpace({ databaseFile, dataDir }: Patient): Promise<readonly Finding[]> {
  const place = [dirname(databaseFile), dataDir, dirname(dataDir)].find((path) => existsSync(path))
  if (place === undefined) return []
  const { bavail, bsize } = statfsSync(place)
  return [describeSpace(bavail * bsize, place), describeWal(sizeOf(`${databaseFile}-wal`), sizeOf(databaseFile))]
}

function describeSpace(free: number, place: string): Finding {
  const message = `${inMebibytes(free)} free at ${place}.`
  if (free < TOO_LITTLE) return fail('disk', message, 'Make room: when the disk is full, nothing can be stored.')
  return free < LITTLE ? warn('disk', message, 'Make room before it is full.') : ok('disk', message)
}

function describeWal(wal: number, database: number): Finding {
  const message = `The database has ${inMebibytes(database)}, its write-ahead log ${inMebibytes(wal)}.`
  if (wal < LONG_WAL) return ok('disk', message)
  return warn(
    'disk',
    message,
    'Another program reads the database without end and keeps the log from shrinking: stop it.',
  )
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function inMebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE).toLocaleString('en-GB')} MiB`
}
