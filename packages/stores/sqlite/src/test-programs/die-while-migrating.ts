// die-while-migrating FILE HIT: kills itself at the given hit of the failpoint `migrate`.
import { observeFailpoints } from '@polylogue/engine'
import { openSqliteStores } from '../open-sqlite-stores.ts'
import { say } from './say.ts'
import { systemClock } from './system-clock.ts'

const [file = '', hit = '1'] = process.argv.slice(2)
let hits = 0
observeFailpoints((name) => {
  if (name === 'migrate' && ++hits === Number(hit)) process.kill(process.pid, 'SIGKILL')
})
await openSqliteStores({ file, clock: systemClock })
say('opened')
