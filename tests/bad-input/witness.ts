// Loaded into the server that is tested, before the server itself. It changes nothing and sees what no client can: the
// prototypes that all objects share, memory without garbage, how long the event loop was held up, warnings of Node.
// On the socket named by BAD_INPUT_WITNESS it tells each caller once, as one JSON line.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Testimony } from './ask-witness.ts'

// A stack overflow under an active store was once the end of a Node process, which no handler could prevent.
new AsyncLocalStorage<string>().enterWith('witness')

const PROTOTYPES = { Object, Array, Function, String, Number, Boolean, Promise, Map, Set, Error, RegExp, Date, Buffer }

const namesOf = ({ prototype }: { readonly prototype: object }): readonly string[] =>
  Reflect.ownKeys(prototype).map(String)
const before = new Map(Object.entries(PROTOTYPES).map(([name, type]) => [name, new Set(namesOf(type))]))

const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()
const warnings: string[] = []
process.on('warning', (warning) => warnings.push(`${warning.name}: ${warning.message}`))

function testify(): Testimony {
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return {
    strangeNames: Object.entries(PROTOTYPES).flatMap(([name, type]) =>
      namesOf(type)
        .filter((key) => !before.get(name)?.has(key))
        .map((key) => `${name}.prototype.${key}`),
    ),
    rss,
    heapUsed,
    external,
    delayP99Ms: delay.percentile(99) / 1e6,
    delayMaxMs: delay.max / 1e6,
    warnings: warnings.splice(0),
  }
}

const path = process.env['BAD_INPUT_WITNESS']
if (path !== undefined) {
  // It must not keep the server alive, and a second process of the same command finds the socket taken.
  createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(`${JSON.stringify(testify())}\n`)
  })
    .on('error', () => undefined)
    .listen(path)
    .unref()
}
