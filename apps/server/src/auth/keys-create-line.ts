import { usualDataDir } from '../data-dir.ts'
import { shellQuote } from '../platform/private-file.ts'
import { parseDatabase } from '../stores.ts'

/** The command that creates a key in this installation, with the flags that it needs. */
export function formatKeysCreate(place: {
  readonly dataDir: string
  /** A database URL of `parseDatabase`. */
  readonly database: string
  readonly startDir: string
  readonly env: NodeJS.ProcessEnv
}): string {
  const { dataDir, database, startDir, env } = place
  const data = dataDir === usualDataDir(env, startDir) ? '' : ` --data ${shellQuote(dataDir)}`
  const isElsewhere = database !== parseDatabase(undefined, { dataDir, startDir })
  return `polylogue keys create --name NAME${data}${isElsewhere ? ` --database ${shellQuote(database)}` : ''}`
}
