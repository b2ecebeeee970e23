import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ProbeRound, Probed } from './probe.ts'

const PROGRAM = fileURLToPath(new URL('probe-process.ts', import.meta.url))

let prober: ChildProcess | undefined
let rounds = 0
const waiting = new Map<number, (round: ProbeRound) => void>()

/** Lets the probe come by, from its own process. That ends with ours. */
export function sendProbe({ url, key, pid }: Probed): Promise<ProbeRound> {
  prober ??= start()
  const id = ++rounds
  const { promise, resolve } = Promise.withResolvers<ProbeRound>()
  waiting.set(id, resolve)
  prober.send({ id, target: { url, key, pid } })
  return promise
}

function start(): ChildProcess {
  const child = fork(PROGRAM, { stdio: 'ignore', execArgv: [] })
  child.unref()
  child.channel?.unref()
  child.on('message', (message) => {
    const { id, round } = message as { readonly id: number; readonly round: ProbeRound }
    waiting.get(id)?.(round)
    waiting.delete(id)
  })
  child.on('exit', (code) => {
    prober = undefined
    for (const answer of waiting.values())
      answer({ complaints: [`the probe itself ended with ${code}`], late: [], slowestMs: 0 })
    waiting.clear()
  })
  return child
}
