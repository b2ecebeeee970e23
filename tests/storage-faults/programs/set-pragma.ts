import { DatabaseSync } from 'node:sqlite'

/**
 * Changes a setting of the database that this process opened last. The store sets and checks its own settings while it
 * opens, so call this afterwards. It turns a program into a store that we do not ship.
 */
export function watchDatabases(): { setPragma(assignment: string): void } {
  const { exec } = DatabaseSync.prototype
  const opened = new Set<DatabaseSync>()
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
    opened.add(this)
    exec.call(this, sql)
  }
  return { setPragma: (assignment) => [...opened].at(-1)?.exec(`PRAGMA ${assignment}`) }
}
