import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { exchangeText } from '../../support/http-exchange.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { type LockHolder, holdLocks } from './hold-locks.ts'

/** The server's own limit, and the extra time for an answer on a busy machine. */
const BUSY_WAIT_MS = 5_000
const SLACK_MS = 4_000

/**
 * Another process holds the write lock of a server's database for `holdMs`. A short hold only delays writes. During a
 * long one the server answers 503 in bounded time. Reads always work, and the server recovers by itself.
 */
export async function lockServer(holdMs: number, { isStopped = false } = {}): Promise<readonly string[]> {
  const temp = await createTempDir()
  const server = await startServerProcess({ dataDir: temp.path })
  let holder: LockHolder | undefined
  try {
    const problems: string[] = []
    const session = await openSession(server.client(V3))
    await session.turn('say before')
    holder = await holdLocks('write', [join(temp.path, 'polylogue.db')])
    if (isStopped) holder.stop()
    const letGo = delay(holdMs).then(() => holder?.release())
    problems.push(...(await writeUntilStored(server, holdMs)))
    await letGo
    const answer = await session.turn('say after')
    if (answer.stopReason !== 'end_turn') problems.push(`the turn after the lock ended with ${answer.stopReason}`)
    if ((await session.history()).length !== 4) problems.push('the session is not what it should be')
    return problems
  } finally {
    await holder?.kill()
    await server.kill()
    await temp.remove()
  }
}

async function writeUntilStored(server: ServerProcess, holdMs: number): Promise<readonly string[]> {
  const problems: string[] = []
  const client = server.client(V3)
  let refusals = 0
  for (;;) {
    const startedAt = performance.now()
    const { status, text, headers } = await client.create({ agent: { name: 'scripted' } })
    const tookMs = performance.now() - startedAt
    if (tookMs > BUSY_WAIT_MS + SLACK_MS) problems.push(`an answer took ${Math.round(tookMs)} ms`)
    if (status === 201) break
    refusals += 1
    const isBusy = status === 503 && text.includes('storage-busy') && headers['retry-after'] !== undefined
    if (!isBusy) return [...problems, `a write behind the lock was answered ${status} ${text}`]
    const list = await client.list()
    if (list.status !== 200 || list.body.sessions.length !== 1) problems.push(`a read got ${list.status} ${list.text}`)
  }
  if (refusals === 0 && holdMs > BUSY_WAIT_MS + SLACK_MS) problems.push('it waited longer than it may')
  if (refusals > 0 && holdMs < BUSY_WAIT_MS / 2) problems.push('a short lock was refused')
  return problems
}

/** A reader of the database keeps the log from restarting, and the server's metrics show that the log grows. */
export async function starveServer(turns: number): Promise<readonly string[]> {
  const temp = await createTempDir()
  const server = await startServerProcess({ dataDir: temp.path })
  let reader: LockHolder | undefined
  try {
    const session = await openSession(server.client(V3))
    reader = await holdLocks('read', [join(temp.path, 'polylogue.db')])
    const before = await walBytes(server)
    for (let turn = 0; turn < turns; turn++) await session.turn(`say ${'long '.repeat(20_000)}`)
    const grown = await walBytes(server)
    await reader.release()
    await session.turn('say the reader has left')
    const problems = grown > before + turns * 100_000 ? [] : [`the metric went from ${before} to ${grown}`]
    return (await session.history()).length === 2 * turns + 2
      ? problems
      : [...problems, 'the session is not what it was']
  } finally {
    await reader?.kill()
    await server.kill()
    await temp.remove()
  }
}

async function walBytes(server: ServerProcess): Promise<number> {
  const headers = { authorization: `Bearer ${server.key}` }
  const { text } = await exchangeText({ method: 'GET', url: `${server.url}/metrics`, headers })
  return Number(/^polylogue_wal_bytes (\d+)/m.exec(text)?.[1])
}
