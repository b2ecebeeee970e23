import { describe, expect, it, onTestFinished } from 'vitest'
import { cpuWaitMs } from '../bad-input/cpu-wait.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { beginSlowTurn, playSlowTurn, probeHealth } from './play-slow-schema.ts'

const POISON = {
  schema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
  value: { a: `${'a'.repeat(60)}!` },
}
/** On a machine that is busy with other tests; the proof holds a quiet one to 250 ms. */
const LONGEST_PROBE_MS = 1500
/** Not counting the time in which the server could run and other programs had the cores. */
const READY_WITHIN_MS = 3000

async function serveIn(dataDir: string) {
  const server = await startServerProcess({ dataDir })
  onTestFinished(() => server.kill())
  return server
}

describe('a schema that takes forever to check', () => {
  it('ends its own turn without delaying others', async () => {
    const dir = await createTempDir()
    onTestFinished(() => dir.remove())
    const server = await serveIn(dir.path)
    const stop = probeHealth(server)
    expect(await playSlowTurn(server, POISON)).toBe('failed')
    const longest = await stop()
    console.info(`the longest answer of /healthz beside a slow schema took ${Math.round(longest)} ms`)
    expect(longest).toBeLessThan(LONGEST_PROBE_MS)
  })

  it('does not keep a server from starting that was killed in the middle of its turn', async () => {
    const dir = await createTempDir()
    onTestFinished(() => dir.remove())
    const first = await serveIn(dir.path)
    const { sessionId } = await beginSlowTurn(first, { ...POISON, sleepMs: 1000 })
    await first.kill()

    const startedAt = performance.now()
    const second = await serveIn(dir.path)
    const response = await fetch(new URL('/readyz', second.url))
    expect(response.status).toBe(200)
    const readyMs = performance.now() - startedAt
    const waitedMs = cpuWaitMs(second.pid)
    console.info(
      `the server with the poisoned log was ready after ${Math.round(readyMs)} ms, ${Math.round(waitedMs)} ms of them without a core`,
    )
    expect(readyMs - waitedMs).toBeLessThan(READY_WITHIN_MS)
    const stop = probeHealth(second)
    expect(await statusAtRest(second, sessionId)).not.toBe('running')
    expect(await stop()).toBeLessThan(LONGEST_PROBE_MS)
    expect(await playSlowTurn(second, { schema: { type: 'object' }, value: { a: 1 } })).toBe('completed')
  })
})

/** Polls the session until its turn has ended. */
async function statusAtRest({ url, key }: { readonly url: string; readonly key: string }, sessionId: string) {
  for (;;) {
    const response = await fetch(new URL(`/api/sessions/${sessionId}`, url), {
      headers: { authorization: `Bearer ${key}` },
    })
    const { status } = (await response.json()) as { status: string }
    if (status !== 'running') return status
  }
}
