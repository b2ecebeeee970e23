import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Recorded } from '@polylogue/engine'
import { checkHistory } from '../checker/check-history.ts'
import type { CrashPoint } from '../crash/crash-cycle.ts'
import { readEpoch, readStoredSession } from '../crash/stored-session.ts'
import { toSeedMessage } from '../crash/to-seed-message.ts'
import { playUntilKilled, within } from '../crash/until-killed.ts'
import { V3 } from '../support/aap-dialect.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { LastingClient, MEMORY, REMEMBERED_CALL } from './lasting-client.ts'

const CONFIG = fileURLToPath(new URL('lasting.config.ts', import.meta.url))
const WINDOW = 3_000

export interface LastingResult {
  /** Whether each server died where it was told to, and not at rest. */
  readonly wasReached: boolean
  readonly complaints: readonly string[]
}

/** How often a server passes each point while the whole script is played, without a crash. */
export async function countLastingHits(): Promise<ReadonlyMap<string, number>> {
  await using folder = await openFolder()
  const hitsFile = join(folder.path, 'hits')
  const server = await folder.start(`count:${hitsFile}`)
  try {
    await within(new LastingClient().playOn(server))
  } finally {
    await server.kill()
  }
  const hits = new Map<string, number>()
  for (const name of (await readFile(hitsFile, 'utf8')).trim().split('\n')) hits.set(name, (hits.get(name) ?? 0) + 1)
  return hits
}

/** The script, cut by a kill -9 at each of these points in turn and finished by the next server on the same data. */
export async function playThroughRestart(...points: readonly CrashPoint[]): Promise<LastingResult> {
  await using folder = await openFolder()
  const client = new LastingClient()
  const epochs: number[] = []
  let wasReached = true
  for (const { name, hit } of points) {
    const isReached = await playUntilKilled(
      (server) => client.playOn(server),
      () => folder.start(`${name}=kill@${hit}`),
    )
    wasReached &&= isReached
    if (client.hasSession) epochs.push(readEpoch(folder.dataDir, client.sessionId))
  }
  const server = await folder.start()
  try {
    await within(client.playOn(server))
    const memories = await readMemories(server)
    const modelMessages = (await server.client(V3).history(client.sessionId, 'compacted')).map(toSeedMessage)
    await server.kill()
    const { stored, snapshot, drafts, wanted } = await readStoredSession(folder.dataDir, client.sessionId)
    const violations = checkHistory({
      stored,
      ...(snapshot && { snapshot }),
      acknowledged: client.acknowledged,
      readers: [],
      epochs: epochs.filter((epoch, index) => epoch !== epochs[index - 1]),
      effects: memories.map(() => REMEMBERED_CALL),
      // Twice is once for a memory; that it is there once is looked at below.
      toolEffects: { Remember: 'idempotent' },
      modelMessages,
    })
    return {
      wasReached,
      complaints: [
        ...client.complaints,
        ...violations.map(({ invariant, message }) => `${invariant}: ${message}`),
        ...complainOfMemories(memories),
        ...complainOfCompactions(stored),
        ...(drafts.length > 0 ? [`${drafts.length} drafts are left over`] : []),
        ...(wanted.length > 0 ? ['a session at rest still wants a runner'] : []),
      ],
    }
  } finally {
    await server.kill()
  }
}

function complainOfMemories(memories: readonly string[]): string[] {
  const isRight = memories.length === 1 && memories[0] === MEMORY
  return isRight ? [] : [`the user's memories are ${JSON.stringify(memories)}`]
}

/** Whatever was cut: there was at least one, each has one end, and no request was larger than the window. */
function complainOfCompactions(stored: readonly Recorded[]): string[] {
  const complaints: string[] = []
  const open = new Set<string>()
  let completed = 0
  for (const { seq, event } of stored) {
    const tokens = 'usage' in event ? (event.usage?.inputTokens ?? 0) : 0
    if (tokens > WINDOW) complaints.push(`the model was given ${tokens} tokens at ${seq}, its window is ${WINDOW}`)
    if (event.type === 'compaction.started') open.add(event.compactionId)
    if (event.type !== 'compaction.ended') continue
    if (!open.delete(event.compactionId)) complaints.push(`a compaction ends at ${seq} that is not open`)
    if (event.outcome === 'completed') completed += 1
    else if (event.error?.code !== 'interrupted') complaints.push(`a compaction failed: ${event.error?.message}`)
  }
  if (open.size > 0) complaints.push('a compaction never ended')
  if (completed === 0) complaints.push('nothing was compacted')
  return complaints
}

async function readMemories(server: ServerProcess): Promise<readonly string[]> {
  const { status, body, text } = await exchangeJson<{ readonly memories: readonly { readonly content: string }[] }>({
    method: 'GET',
    url: `${server.url}/api/polylogue/memory`,
    headers: { authorization: `Bearer ${server.key}` },
  })
  if (status !== 200) throw new Error(`no memories: ${status} ${text}`)
  return body.memories.map(({ content }) => content)
}

async function openFolder() {
  const folder = await createTempDir()
  const dataDir = join(folder.path, 'data')
  return {
    path: folder.path,
    dataDir,
    start: (failpoints = '') =>
      startServerProcess({
        dataDir,
        startDir: folder.path,
        flags: ['--config', CONFIG],
        environment: { POLYLOGUE_FAILPOINTS: failpoints },
      }),
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}
