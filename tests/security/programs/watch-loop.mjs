// Preloaded into a server (`NODE_OPTIONS=--import`): appends to the file in LOOP_FILE how long each stop of the event loop was, in
// CPU milliseconds of its thread. Unlike the time on the wall, that does not grow with the load of the machine.
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const LOOK_EVERY_MS = 5
const LEAST_MS = 20
const file = process.env['LOOP_FILE']

if (isMainThread && file !== undefined && process.argv.includes('serve')) {
  let last = process.threadCpuUsage()
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(last)
    last = process.threadCpuUsage()
    const ms = Math.round((user + system) / 1000)
    if (ms >= LEAST_MS) appendFileSync(file, `${ms}\n`)
  }, LOOK_EVERY_MS).unref()
}
