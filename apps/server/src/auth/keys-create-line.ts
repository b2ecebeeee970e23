import { join } from 'node:path'
import { defaultDataDir } from '../data-dir.ts'
import { shellQuote } from '../platform/private-file.ts'

/** What to type for a new key, with every flag without which it would be made somewhere else. */
export function formatKeysCreate(place: {
  readonly dataDir: string
  readonly databaseFile: string
  readonly startDir: string
  readonly env: NodeJS.ProcessEnv
}): string {
  const { dataDir, databaseFile, startDir, env } = place
  const data = dataDir === defaultDataDir(env, startDir) ? '' : ` --data ${shellQuote(dataDir)}`
  const isElsewhere = databaseFile !== join(dataDir, 'polylogue.db')
  const database = isElsewhere ? ` --database ${shellQuote(`sqlite:${databaseFile}`)}` : ''
  return `polylogue keys create --name NAME${data}${database}`
}
