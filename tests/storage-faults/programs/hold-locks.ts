// hold-locks write|read FILE…: locks each database, prints `held`, and releases the locks when its input ends. `write`
// is the lock of another writer. `read` is a reader that holds one snapshot, so that the log cannot restart.
import { DatabaseSync } from 'node:sqlite'
import { say } from './say.ts'

const [kind = 'write', ...files] = process.argv.slice(2)
const databases = files.map((file) => new DatabaseSync(file, { timeout: 30_000 }))
for (const db of databases) {
  db.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN')
  db.prepare('SELECT count(*) FROM sessions').get()
}
say('held')
process.stdin.resume()
process.stdin.on('end', () => {
  for (const db of databases) db.close()
})
