// own FILE: tries to take the owner lock, prints `owner` or `taken`, and ends when its input ends.
import { acquireOwnerLock } from '../owner-lock.ts'
import { say } from './say.ts'

const [file = ''] = process.argv.slice(2)
const lock = acquireOwnerLock(file)
say(lock === undefined ? 'taken' : 'owner')
process.stdin.resume()
process.stdin.on('end', () => lock?.release())
