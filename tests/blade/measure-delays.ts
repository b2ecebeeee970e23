import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Served } from './audience.ts'

const PROGRAM = fileURLToPath(new URL('delays-process.ts', import.meta.url))

/**
 * How long each delta was under way from the model to a socket, in milliseconds, told by the stamps of the model, until
 * then. Measured in a process of its own: who reads for hundreds of others cannot look at the clock meanwhile.
 */
export async function measureDelays({ url, key }: Served, until: Promise<unknown>): Promise<readonly number[]> {
  const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
  const ended = once(child, 'exit')
  const told = once(child, 'message')
  child.send({ url, key })
  await Promise.race([until, ended])
  if (child.connected) child.send('enough')
  const answer = await Promise.race([told, ended.then(() => undefined)])
  if (child.connected) child.disconnect()
  await ended
  if (answer === undefined) throw new Error('whoever measures the delays has ended')
  return answer[0] as readonly number[]
}
