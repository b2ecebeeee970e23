/** Earlier versions can corrupt a WAL file when two connections reset it. */
const OLDEST = [3, 51, 3] as const

export const sqliteVersion = (): string => process.versions['sqlite'] ?? 'none'

/** Why a version may not be used, or `undefined`. */
export function describeOldSqlite(version: string): string | undefined {
  const parts = version.split('.').map(Number)
  for (const [index, oldest] of OLDEST.entries()) {
    const part = parts[index] ?? 0
    if (part > oldest) return undefined
    if (!(part >= oldest))
      return `SQLite ${version} can lose data. Use Node 24 with SQLite ${OLDEST.join('.')} or later.`
  }
  return undefined
}
