import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Served } from './audience.ts'

const PROGRAM = fileURLToPath(new URL('delays-process.ts', import.meta.url))

/**
 * How long each delta was under way from the model to a socket, in milliseconds, told by the stamps of the model. Measured
 * in a process of its own: who reads for hundreds of others cannot look at the clock meanwhile.
 */
export async function measureDelays({ url, key }: Served, seconds: number): Promise<readonly number[]> {
  const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
  const ended = once(child, 'exit')
  child.send({ url, key, seconds })
  const told = await Promise.race([once(child, 'message'), ended.then(() => undefined)])
  child.disconnect()
  await ended
  if (told === undefined) throw new Error('whoever measures the delays has ended')
  return told[0] as readonly number[]
}
