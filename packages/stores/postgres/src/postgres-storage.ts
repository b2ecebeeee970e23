import type { Clock, Storage, StorageDescription } from '@polylogue/engine'
import type pg from 'pg'
import { PUBLIC_OPTIONS, nameOf, withClient } from './connect.ts'
import { dumpDatabase } from './dump-database.ts'
import { fillDatabase } from './fill-database.ts'
import { inspectDatabase } from './inspect-database.ts'
import { readSchemaVersion } from './migrate.ts'

/** Operations on a database that do not open its stores. */
export function createPostgresStorage(url: string, clock: Clock): Storage {
  return {
    describe: () => withClient(url, (client) => describeDatabase(client, url)),
    inspect: () => inspectDatabase(url, clock.now()),
    dump: () => dumpDatabase(url),
    fill: (rows) => fillDatabase(url, rows),
  }
}

async function describeDatabase(client: pg.Client, url: string): Promise<StorageDescription> {
  const version = await readSchemaVersion(client)
  const asked = `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
    current_setting('synchronous_commit') AS sync, pg_database_size(current_database())::float8 AS bytes`
  const { rows } = await client.query<Record<string, unknown>>(asked)
  const { version: software, fsync, sync, bytes } = rows[0] ?? {}
  return {
    url: withoutPassword(url),
    name: nameOf(url),
    software: `PostgreSQL ${String(software).split(' ')[0]}`,
    ...(fsync === 'off' && { unsafe: 'PostgreSQL runs with fsync=off and may lose data; set fsync=on.' }),
    ...(sync === 'off' && {
      unsafe:
        'PostgreSQL runs with synchronous_commit=off and may lose what it acknowledged; set synchronous_commit=on.',
    }),
    exists: version > 0,
    files: [],
    bytes: Number(bytes),
    logBytes: 0,
  }
}

export function withoutPassword(url: string): string {
  const parsed = new URL(url)
  parsed.password = ''
  for (const name of [...parsed.searchParams.keys()]) if (!PUBLIC_OPTIONS.has(name)) parsed.searchParams.delete(name)
  return parsed.href
}
