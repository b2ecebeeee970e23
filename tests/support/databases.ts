// Whole suites can run on another store: each data directory that their servers use then gets a database.

/** A database that one test server uses. */
export interface ServerDatabase {
  readonly url: string
  /** The database itself, if `url` is that of a pooler. */
  readonly directUrl?: string
  drop(): Promise<void>
}

let make: (() => Promise<ServerDatabase>) | undefined
const byDirectory = new Map<string, Promise<ServerDatabase>>()

/** From now on, the servers of this file use such databases. */
export function useDatabases(makeDatabase: () => Promise<ServerDatabase>): void {
  make = makeDatabase
}

/** The database of the servers on this data directory. `undefined` on the embedded store. */
export async function databaseOf(dataDir: string): Promise<ServerDatabase | undefined> {
  const known = byDirectory.get(dataDir)
  if (known !== undefined || make === undefined) return known
  const made = make()
  byDirectory.set(dataDir, made)
  return made
}

/** `--database` and `--database-direct` for a program on this data directory, unless the flags name one. */
export async function databaseFlags(dataDir: string, flags: readonly string[]): Promise<readonly string[]> {
  if (flags.includes('--database')) return []
  const database = await databaseOf(dataDir)
  if (database === undefined) return []
  const { url, directUrl } = database
  return ['--database', url, ...(directUrl === undefined ? [] : ['--database-direct', directUrl])]
}

export async function dropDatabase(dataDir: string): Promise<void> {
  const database = await byDirectory.get(dataDir)
  byDirectory.delete(dataDir)
  await database?.drop()
}

/** Those of servers that were killed and left theirs behind. */
export async function dropDatabases(): Promise<void> {
  for (const dataDir of [...byDirectory.keys()]) await dropDatabase(dataDir)
}
