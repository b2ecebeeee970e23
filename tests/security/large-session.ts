// One session that is as large as a session may be, and everything that reads it as a whole or in pages.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { LARGE_ANSWERS } from './slow-sessions.ts'

const OWN = '/api/polylogue'

/** `ID` stands for the session. Beside what slow readers ask for. */
const READS: readonly string[] = [
  ...LARGE_ANSWERS,
  '/aap/v1/session/ID',
  `${OWN}/sessions/ID/events?before=99999&limit=1000`,
  `${OWN}/sessions/ID/events?type=step.answered&limit=1000`,
  `${OWN}/sessions/ID/turns`,
  `${OWN}/sessions/ID/calls/none`,
]
const WORK: readonly (readonly [path: string, body: object])[] = [
  [`${OWN}/sessions/ID/fork`, {}],
  [`${OWN}/sessions/ID/replay`, {}],
  [`${OWN}/permissions/backtest`, { rule: { tool: 'Bash', action: 'allow' } }],
]
/** Said and answered, with characters that JSON escapes and that are longer in UTF-8. */
const SAID = 'é"<中😀\\'.repeat(50_000)

export interface ReadResult {
  readonly path: string
  readonly status: number
  /** The longest stop of the event loop, in CPU milliseconds. */
  readonly mostMs: number
}

export interface LargeReading {
  readonly dataDir: string
  /** Turns of the session, at most: it ends at its limit. */
  readonly turns: number
  /** Readers of each path at the same time. */
  readonly readers: number
}

export async function readLargeSession({ dataDir, turns, readers }: LargeReading): Promise<readonly ReadResult[]> {
  const loopFile = join(dataDir, 'loop')
  writeFileSync(loopFile, '')
  const watch = new URL('programs/watch-loop.mjs', import.meta.url)
  const environment = { NODE_OPTIONS: `--import ${watch.href}`, LOOP_FILE: loopFile }
  const server = await startServerProcess({ dataDir, environment })
  let seen = 0
  const mostMs = (): number => {
    const lines = readFileSync(loopFile, 'utf8').split('\n').filter(Boolean)
    const most = Math.max(0, ...lines.slice(seen).map(Number))
    seen = lines.length
    return most
  }
  try {
    const key = await server.createKey('large')
    const session = await openSession(server.client(V3, key))
    const ask = async (path: string, body?: object): Promise<ReadResult> => {
      const asked = Array.from({ length: readers }, () => send({ server, key }, path.replace('ID', session.id), body))
      const [status = 0] = await Promise.all(asked)
      return { path, status, mostMs: mostMs() }
    }
    const askAll = async (): Promise<readonly ReadResult[]> => {
      const results: ReadResult[] = []
      for (const path of READS) results.push(await ask(path))
      for (const [path, body] of WORK) results.push(await ask(path, body))
      return results
    }
    // The first request of a kind loads code.
    await session.turn('say x')
    await askAll()
    for (let turn = 0; turn < turns; turn += 1) {
      const { status } = await session.client.turn(session.id, { messages: [{ role: 'user', content: `say ${SAID}` }] })
      if (status === 507) break
    }
    const said: ReadResult = { path: 'turns', status: 200, mostMs: mostMs() }
    return [said, ...(await askAll())]
  } finally {
    await server.kill()
  }
}

async function send(
  { server, key }: { readonly server: ServerProcess; readonly key: string },
  path: string,
  body?: object,
): Promise<number> {
  const answer = await fetch(`${server.url}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(600_000),
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  for await (const _ of answer.body ?? []) if (isStream) break
  return answer.status
}
