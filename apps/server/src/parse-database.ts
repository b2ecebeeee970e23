import { join, resolve } from 'node:path'
import { EXIT_CONFIG, ServeError } from './serve-error.ts'

/** `--database`: the SQLite file it names, `<data>/polylogue.db` when it is not given. */
export function parseDatabase(database: string | undefined, dirs: { dataDir: string; startDir: string }): string {
  if (database === undefined) return join(dirs.dataDir, 'polylogue.db')
  const file = /^sqlite:(.+)$/s.exec(database)?.[1]
  if (file !== undefined) return resolve(dirs.startDir, file)
  // A database URL holds a password, so it is not repeated here.
  if (/^postgres(?:ql)?:/.test(database)) {
    throw new ServeError('Postgres is not supported yet. Use --database sqlite:FILE.', EXIT_CONFIG)
  }
  throw new ServeError('--database wants sqlite:FILE.', EXIT_CONFIG)
}
