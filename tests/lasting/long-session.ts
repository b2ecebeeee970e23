import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { V3 } from '../support/aap-dialect.ts'
import { openSession, type AapSession } from '../support/aap-session.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { textOf } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { MEASURED, readMemory, type Memory } from '../streams/support/read-memory.ts'

const CONFIG = fileURLToPath(new URL('lasting.config.ts', import.meta.url))
const WORDS = 120

export const WINDOW = 8_000

export interface LongSessionPlan {
  readonly turns: number
  /** Turns that are not measured: caches fill, code is compiled. */
  readonly warmUp: number
  /** Turns that are measured, after the warm-up and at the end. */
  readonly measured: number
}

export interface LongSession {
  /** What a user was told that is not what was asked for. */
  readonly complaints: readonly string[]
  /** Of every model call, those for summaries too. */
  readonly inputTokens: readonly number[]
  readonly compactions: number
  readonly early: Cost
  readonly late: Cost
}

export interface Cost extends Memory {
  /** Of the server, in seconds. */
  readonly cpuPerTurn: number
}

/** One session that somebody talks to for very long, on a real server. */
export async function playLongSession({ turns, warmUp, measured }: LongSessionPlan): Promise<LongSession> {
  const folder = await createTempDir()
  const server = await startServerProcess({
    dataDir: join(folder.path, 'data'),
    startDir: folder.path,
    flags: ['--config', CONFIG],
    environment: MEASURED,
  })
  try {
    const session = await openSession(server.client(V3), { agent: 'enduring', tools: [{ name: 'Glob', trust: true }] })
    const complaints: string[] = []
    const play = async (from: number, to: number): Promise<void> => {
      for (let turn = from; turn < to; turn += 1) complaints.push(...(await playTurn(session, turn)))
    }
    const measure = async (from: number, to: number): Promise<Cost> => {
      const before = await readCpuSeconds(server.pid)
      await play(from, to)
      const used = (await readCpuSeconds(server.pid)) - before
      return { cpuPerTurn: used / (to - from), ...(await readLeastMemory(server)) }
    }
    await play(0, warmUp)
    const early = await measure(warmUp, warmUp + measured)
    await play(warmUp + measured, turns - measured)
    const late = await measure(turns - measured, turns)
    return { complaints, early, late, ...(await readModelCalls(server, session.id)) }
  } finally {
    await server.stop()
    await folder.remove()
  }
}

/** Pages that are free already may be given back to the system a little later. */
async function readLeastMemory(server: ServerProcess): Promise<Memory> {
  const read = [await readMemory(server), await readMemory(server), await readMemory(server)]
  return {
    heapBytes: Math.min(...read.map(({ heapBytes }) => heapBytes)),
    residentBytes: Math.min(...read.map(({ residentBytes }) => residentBytes)),
  }
}

async function playTurn(session: AapSession, turn: number): Promise<readonly string[]> {
  const said = Array.from({ length: WORDS }, (_, index) => `word${(turn * 7 + index) % 1000}`).join(' ')
  const input =
    turn % 5 === 0 ? script(call(`g${turn}`, 'Glob', { pattern: `*.t${turn}` }), NEXT, `say ${said}`) : `say ${said}`
  const { stopReason, messages } = await session.turn(input)
  if (stopReason !== 'end_turn') return [`turn ${turn} ended as ${stopReason}`]
  return textOf(messages).endsWith(said) ? [] : [`turn ${turn} was answered with ${textOf(messages).slice(-100)}`]
}

interface LoggedEvent {
  readonly event: {
    readonly type: string
    readonly outcome?: string
    readonly usage?: { readonly inputTokens: number }
  }
}

async function readModelCalls(
  server: ServerProcess,
  sessionId: string,
): Promise<Pick<LongSession, 'inputTokens' | 'compactions'>> {
  const inputTokens: number[] = []
  let compactions = 0
  for (let after: number | undefined = 0; after !== undefined;) {
    const { body }: { readonly body: { readonly events: readonly LoggedEvent[]; readonly next?: number } } =
      await exchangeJson({
        method: 'GET',
        url: `${server.url}/api/polylogue/sessions/${sessionId}/events?limit=1000&after=${after}`,
        headers: { authorization: `Bearer ${server.key}` },
      })
    for (const { event } of body.events) {
      if (event.usage !== undefined) inputTokens.push(event.usage.inputTokens)
      if (event.type === 'compaction.ended' && event.outcome === 'completed') compactions += 1
    }
    after = body.next
  }
  return { inputTokens, compactions }
}

/** Of user and system together, as Linux counts them: in hundredths of a second. */
async function readCpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
