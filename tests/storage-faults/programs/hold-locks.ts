// hold-locks write|read FILE…: holds a lock on each database, says `held`, and lets go when its input ends. `write` is
// what another writer holds; `read` is a reader that stays at one moment, so that the log cannot be begun anew.
import { DatabaseSync } from 'node:sqlite'
import { say } from './say.ts'

const [kind = 'write', ...files] = process.argv.slice(2)
const databases = files.map((file) => new DatabaseSync(file))
for (const db of databases) {
  db.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN')
  db.prepare('SELECT count(*) FROM sessions').get()
}
say('held')
process.stdin.resume()
process.stdin.on('end', () => {
  for (const db of databases) db.close()
})
