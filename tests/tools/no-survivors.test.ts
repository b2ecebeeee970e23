import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { exchangeText } from '../support/http-exchange.ts'
import { NEXT, call, script } from '../support/script.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import type { SseStream } from '../support/sse-stream.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { processesNaming, untilGone } from './processes.ts'
import { type ToolSession, openToolSession } from './tool-session.ts'
import { writeConfig } from './write-config.ts'

/** A tree that does not want to end, with a child in a session of its own. */
const TREE = `trap '' TERM; setsid bash -c 'while :; do sleep 0.05; done' "$PWD/child" & while :; do sleep 0.05; done`
const tree = (id: string) => call(id, 'Bash', { command: TREE })

let dir: TempDir
let startDir: string
let server: ServerProcess
const start = () => startServerProcess({ dataDir: join(dir.path, 'data'), startDir })
beforeAll(async () => {
  dir = await createTempDir()
  startDir = await writeConfig(dir, { bash: { sandbox: 'none' } })
  server = await start()
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

interface Running {
  readonly session: ToolSession
  readonly stream: SseStream
}

async function run(...lines: readonly string[]): Promise<Running> {
  const session = await openToolSession(server, { preset: 'full-access' })
  const stream = await session.stream('message', script(...lines))
  await processesNaming(join(session.workspace, 'child'), { atLeast: 1 })
  return { session, stream }
}

describe('processes that a command started', () => {
  it('P8: ends with its call, when that alone is cancelled', async () => {
    const { session, stream } = await run(tree('t'), NEXT, 'say on')
    await session.cancelCall('t')
    await stream.finished()
    await untilGone(session.workspace)
    expect(await session.callOf('t')).toMatchObject({ status: 'cancelled' })
  })

  it('P8: ends with the sub-agent that started it, when the call of that is cancelled', async () => {
    const prompt = call('a', 'Agent', { description: 'Run', prompt: tree('t') })
    const { session, stream } = await run(call('outer', 'Agent', { description: 'Run', prompt }), NEXT, 'say on')
    await session.cancelCall('outer')
    const frames = await stream.finished()
    expect(frames.at(-1)).toMatchObject({ event: 'turn_stop', data: { stopReason: 'end_turn' } })
    await untilGone(session.workspace)
  })

  it('P8: ends when its session is deleted, and so does the directory', async () => {
    const { session, stream } = await run(tree('t'))
    const { status } = await session.client.remove(session.id)
    expect(status).toBeLessThan(300)
    await stream.finished().catch(() => undefined)
    await untilGone(session.workspace)
    await expect(access(session.workspace)).rejects.toThrow('ENOENT')
  })

  it('P8: ends with a server that gets two stop signals', async () => {
    const { session, stream } = await run(tree('t'))
    const { url } = server
    const stopped = server.stop()
    // Two signals that arrive before either was heard are one.
    await eventually(async () => {
      const answer = await exchangeText({ method: 'GET', url: `${url}/readyz` })
      return answer.status === 503 ? true : undefined
    }, 'the server has heard the first signal')
    process.kill(server.pid, 'SIGTERM')
    await stopped
    stream.cut()
    await untilGone(session.workspace)
    server = await start()
  })
})
