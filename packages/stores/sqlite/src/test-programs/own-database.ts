// own-database FILE: opens a database as a server does, prints `owner` or the reason why not, and ends with its input.
import { openOwnedStores } from '../open-owned-stores.ts'
import { say } from './say.ts'
import { systemClock } from './system-clock.ts'

const [file = ''] = process.argv.slice(2)
try {
  const stores = await openOwnedStores({ file, clock: systemClock })
  say('owner')
  process.stdin.resume()
  process.stdin.on('end', () => void stores.close())
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
}
