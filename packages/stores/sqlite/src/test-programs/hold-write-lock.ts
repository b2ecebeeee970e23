// hold-write-lock FILE: holds the write lock of a database, prints `held`, and releases the lock when its input ends.
import { DatabaseSync } from 'node:sqlite'
import { say } from './say.ts'

const [file = ''] = process.argv.slice(2)
const db = new DatabaseSync(file)
db.exec('BEGIN IMMEDIATE')
say('held')
process.stdin.resume()
process.stdin.on('end', () => {
  db.exec('ROLLBACK')
  db.close()
  say('released')
})
