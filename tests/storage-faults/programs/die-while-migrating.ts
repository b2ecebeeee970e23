// die-while-migrating FILE HIT: opens a store and kills itself at the given hit of the failpoint `migrate`. Prints
// `opened` when there were fewer hits.
import { observeFailpoints } from '@polylogue/engine'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { systemClock } from '../system-clock.ts'
import { say } from './say.ts'

const [file = '', hit = '1'] = process.argv.slice(2)
let hits = 0
observeFailpoints((name) => {
  if (name === 'migrate' && ++hits === Number(hit)) process.kill(process.pid, 'SIGKILL')
})
const { close } = await openSqliteStores({ file, clock: systemClock })
say('opened')
await close()
