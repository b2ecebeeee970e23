// Preloaded into the program under test. Writes the files that it has loaded when it gets SIGUSR2.
import { registerHooks } from 'node:module'
import { renameSync, writeFileSync } from 'node:fs'

const target = process.env['POLYLOGUE_TEST_MODULES'] ?? ''
const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
process.on('SIGUSR2', () => {
  writeFileSync(`${target}.new`, JSON.stringify({ loaded, builtIn: Reflect.get(process, 'moduleLoadList') }))
  renameSync(`${target}.new`, target)
})
