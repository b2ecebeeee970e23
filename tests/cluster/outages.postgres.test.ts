// A database that stops, dies or cannot be reached, and nodes that freeze. The file has a PostgreSQL server of its own.
import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyProxy } from './support/faulty-proxy.ts'
import { startFreezingProxy } from './support/freezing-proxy.ts'
import { findAccount, findPrograms, launch, startPostgres, type StartedPostgres } from '../house/start-postgres.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from './support/nodes.ts'

let postgres: StartedPostgres
let server: StartedPostgres['process']
let nodes: Nodes

beforeAll(async () => {
  postgres = await startPostgres()
  server = postgres.process
  nodes = await prepareNodes(postgres.url)
})
afterEach(() => nodes.killAll())
afterAll(async () => {
  await nodes.remove()
  if (server.exitCode === null && server.kill('SIGQUIT')) await once(server, 'exit')
  await postgres.stop()
})

async function stopPostgres(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  const ended = once(server, 'exit')
  server.kill(signal)
  await ended
}

async function startAgain(): Promise<void> {
  const { port } = new URL(postgres.url)
  const data = join(postgres.directory, 'data')
  server = await launch(join(findPrograms(), 'postgres'), [data, Number(port), postgres.directory, []], findAccount())
}

const statusOf = async (path: string): Promise<number> => (await fetch(path)).status
const untilStatus = (path: string, status: number): Promise<true> =>
  eventually(async () => ((await statusOf(path)) === status ? true : undefined), `${path} answers ${status}`)

/** Whether a process has this text in its command line. */
async function isCommandRunning(text: string): Promise<boolean> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    // A shell that runs one command becomes that command. Its words then end with U+0000.
    if (line.replaceAll('\0', ' ').includes(text)) return true
  }
  return false
}

async function beginLingering(node: ServerProcess): Promise<{ readonly id: string; readonly run: string }> {
  const session = await openSession(node.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
  const run = nodes.counting.nextRun()
  const stream = await session.stream('delta', script(call('c1', 'linger', { run }), NEXT, 'say done'))
  void stream.finished().catch(() => undefined)
  await nodes.untilRun(run)
  return { id: session.id, run }
}

describe('outages', { timeout: 120_000 }, () => {
  it('cluster 36, 37: a node that freezes and a node that is cut off stop their work, and a third one continues', async () => {
    const proxy = await startFreezingProxy(postgres.url)
    const [a, b, c] = await Promise.all([nodes.start('a', { database: proxy.url }), nodes.start('b'), nodes.start('c')])
    const cut = await beginLingering(a)
    const own = await a.client(V3).events(cut.id, '?after=0')
    const marker = `sleep 98765${process.pid}`
    const frozen = await openSession(c.client(V3), { agent: 'scripted', tools: [{ name: 'Bash', trust: true }] })
    const began = frozen.turn(script(call('c1', 'Bash', { command: marker }), NEXT, 'say done')).catch(() => undefined)
    await eventually(async () => ((await isCommandRunning(marker)) ? true : undefined), 'the command runs')

    proxy.freeze()
    process.kill(c.pid, 'SIGSTOP')
    const ends = await Promise.all(
      [cut.id, frozen.id].map(async (id) => (await b.client(V3).events(id, '?after=0')).finished()),
    )
    for (const frames of ends) expect(frames.at(-1)?.event).toBe('turn_stop')
    expect(await isCommandRunning(marker)).toBe(true)
    process.kill(c.pid, 'SIGCONT')
    await eventually(async () => ((await isCommandRunning(marker)) ? undefined : true), 'the command is killed')
    await began
    // The log is what the third node wrote: nothing of a former runner came after it.
    const { frames: after } = await finishedEvents(b, frozen.id)
    expect(after).toEqual(ends[1])
    expect(await nodes.counting.timesRun(cut.run)).toBe(1)

    // The node that is cut off refuses requests and lets its clients go.
    await untilStatus(`${a.url}/readyz`, 503)
    expect((await a.client(V3).get(cut.id)).status).toBe(503)
    await expect(own.finished()).rejects.toThrow('aborted')
    await eventually(async () => a.output.includes('running turns stop') || undefined, 'the node says why')
    proxy.close()
  })

  it('cluster 38, 39: a database that is restarted or killed loses nothing, and turns stay with their node', async () => {
    const [a, b] = await Promise.all([nodes.start('a'), nodes.start('b')])
    const { id } = await beginLingering(a)
    const cancelled = await beginLingering(a)
    const said = await openSession(a.client(V3), { agent: 'counting' })
    await said.turn('say acknowledged')
    await stopPostgres('SIGQUIT')
    expect((await b.client(V3).get(id)).status).toBe(503)
    const askedAt = performance.now()
    expect((await a.client(V3).cancel(cancelled.id)).status).toBeLessThan(300)
    // One second is promised, on a machine with nothing else to do.
    expect(performance.now() - askedAt).toBeLessThan(10_000)
    await startAgain()
    await untilStatus(`${a.url}/readyz`, 200)
    const again = attachSession(b.client(V3), said.id)
    await eventually(async () => {
      const text = await again.history().then(JSON.stringify, () => '')
      return text.includes('acknowledged') ? true : undefined
    }, 'what was acknowledged is there')
    await eventually(async () => {
      const { frames } = await finishedEvents(b, cancelled.id)
      return frames.at(-1)?.event === 'turn_stop' ? true : undefined
    }, 'the cancelled turn ends')
    await stopPostgres('SIGINT')
    await startAgain()
    await untilStatus(`${a.url}/readyz`, 200)
    await eventually(async () => {
      const answer = await b.client(V3).cancel(id)
      return answer.status < 300 ? true : undefined
    }, 'the turn can be cancelled')
    const { text } = await finishedEvents(b, id)
    expect(text).not.toContain('Outcome unknown')
  })

  it('cluster 38: what a tool returns while the database restarts is kept', async () => {
    const proxy = await startFaultyProxy(postgres.url)
    const node = await nodes.start('a', { database: proxy.url })
    const session = await openSession(node.client(V3), { agent: 'scripted', tools: [{ name: 'Bash', trust: true }] })
    const marker = `sleep 2.${process.pid}`
    const command = `${marker} && echo it has run`
    const ended = session.turn(script(call('c1', 'Bash', { command }), NEXT, 'say done')).catch(() => undefined)
    await eventually(async () => ((await isCommandRunning(marker)) ? true : undefined), 'the command runs')
    proxy.set({ type: 'refuse' })
    await eventually(async () => ((await isCommandRunning(marker)) ? undefined : true), 'the command has ended')
    // Longer than requests of clients wait, shorter than turns stay with a node that is cut off.
    const endedAt = performance.now()
    await expect.poll(() => performance.now() - endedAt, { timeout: 20_000 }).toBeGreaterThan(6_000)
    proxy.set(undefined)
    await untilStatus(`${node.url}/readyz`, 200)
    await ended
    const { text } = await finishedEvents(node, session.id)
    expect(text).toContain('it has run')
    expect(text).not.toContain('Outcome unknown')
    proxy.close()
  })
})

async function finishedEvents(node: ServerProcess, id: string) {
  const frames = await (await node.client(V3).events(id, '?after=0')).finished()
  return { frames, text: JSON.stringify(frames) }
}
