import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkHistory } from '../checker/check-history.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { dropDatabase } from '../support/databases.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { CrashClient } from './crash-client.ts'
import { readEpoch, readStoredSession, untilAllRest } from './stored-session.ts'
import { toSeedMessage } from './to-seed-message.ts'
import { playUntilKilled, within } from './until-killed.ts'

const CONFIG = fileURLToPath(new URL('crash.config.ts', import.meta.url))

export interface CrashPoint {
  readonly name: string
  /** Counted from 1. */
  readonly hit: number
}

/** At any place, this long after the server was ready. */
export interface CrashTime {
  readonly afterMs: number
}

export interface CycleResult {
  /** Whether each process died at its point. If not, the script ended first and the process was killed afterwards. */
  readonly wasReached: boolean
  /** One sentence for each violation. Empty if everything holds. */
  readonly complaints: readonly string[]
  readonly outcomes: CrashClient['outcomes']
}

/** How often a server passes each point during the whole script, without a crash. */
export async function countHits(): Promise<ReadonlyMap<string, number>> {
  await using folder = await openFolder()
  const hitsFile = join(folder.path, 'hits')
  const client = new CrashClient()
  const server = await folder.start(`count:${hitsFile}`)
  try {
    await within(client.playOn(server))
  } finally {
    await server.kill()
  }
  const hits = new Map<string, number>()
  for (const name of (await readFile(hitsFile, 'utf8')).trim().split('\n')) hits.set(name, (hits.get(name) ?? 0) + 1)
  return hits
}

/** Plays the script with a kill -9 at each of these points. The next server on the same data finishes it. */
export async function playThroughCrash(...points: readonly (CrashPoint | CrashTime)[]): Promise<CycleResult> {
  await using folder = await openFolder()
  const client = new CrashClient()
  const epochs: number[] = []
  let wasReached = true
  for (const point of points) {
    const isReached = await playUntilKilled(
      (server) => client.playOn(server),
      () => startToDie(folder, point),
    )
    wasReached &&= isReached
    if (client.hasSession) epochs.push(await readEpoch(folder.dataDir, client.sessionId))
  }

  const server = await folder.start()
  try {
    await within(client.playOn(server))
    await within(client.prompt(server))
    const modelMessages = (await client.modelMessages(server)).map(toSeedMessage)
    await untilAllRest(folder.dataDir)
    await server.kill()

    const { stored, snapshot, drafts, wanted } = await readStoredSession(folder.dataDir, client.sessionId)
    const violations = checkHistory({
      stored,
      ...(snapshot && { snapshot }),
      acknowledged: client.acknowledged,
      readers: client.readers(),
      epochs: withoutRepeats([...epochs, await readEpoch(folder.dataDir, client.sessionId)]),
      effects: await folder.effects(),
      toolEffects: { look: 'readonly', put: 'idempotent', pay: 'unsafe', charge: 'unsafe' },
      modelMessages,
    })
    const complaints = violations.map(({ invariant, message }) => `${invariant}: ${message}`)
    if (drafts.length > 0) complaints.push(`${drafts.length} drafts remain`)
    if (wanted.length > 0) complaints.push('an idle session still needs a runner')
    if (client.deletedSessionId !== undefined) {
      const rest = await readStoredSession(folder.dataDir, client.deletedSessionId)
      if (rest.stored.length > 0) complaints.push('a deleted session is still stored')
    }
    complaints.push(...unexpectedOutcomes(client.outcomes))
    return { wasReached, complaints, outcomes: client.outcomes }
  } finally {
    await server.kill()
  }
}

/** The answer that a user must get in the end, whatever was cut off and repeated. */
function unexpectedOutcomes(outcomes: CrashClient['outcomes']): string[] {
  const expected = {
    tools: 'end_turn',
    approval: 'tool_use',
    grant: 'end_turn',
    cancelled: 'error cancelled',
    last: 'end_turn',
    prompt: 'end_turn',
  }
  return Object.entries(expected).flatMap(([turn, outcome]) =>
    outcomes[turn] === outcome ? [] : [`the turn ${turn} ended as ${outcomes[turn]}, not as ${outcome}`],
  )
}

async function startToDie(
  { start }: Awaited<ReturnType<typeof openFolder>>,
  point: CrashPoint | CrashTime,
): Promise<ServerProcess> {
  if ('name' in point) return start(`${point.name}=kill@${point.hit}`)
  const server = await start()
  setTimeout(() => void server.kill(), point.afterMs)
  return server
}

async function openFolder() {
  const folder = await createTempDir()
  const dataDir = join(folder.path, 'data')
  const effectsFile = join(folder.path, 'effects')
  return {
    path: folder.path,
    dataDir,
    start: (failpoints = '') =>
      startServerProcess({
        dataDir,
        startDir: folder.path,
        flags: ['--config', CONFIG],
        environment: { POLYLOGUE_TEST_EFFECTS: effectsFile, POLYLOGUE_FAILPOINTS: failpoints },
      }),
    effects: async () => (await readFile(effectsFile, 'utf8')).trim().split('\n'),
    async [Symbol.asyncDispose]() {
      await folder.remove()
      await dropDatabase(dataDir)
    },
  }
}

const withoutRepeats = (epochs: readonly number[]): readonly number[] =>
  epochs.filter((epoch, index) => epoch !== epochs[index - 1])
