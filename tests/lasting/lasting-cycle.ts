import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkHistory } from '../checker/check-history.ts'
import type { CrashPoint } from '../crash/crash-cycle.ts'
import { readEpoch, readStoredSession, type StoredSession } from '../crash/stored-session.ts'
import { toSeedMessage } from '../crash/to-seed-message.ts'
import { playUntilKilled, within } from '../crash/until-killed.ts'
import { V3 } from '../support/aap-dialect.ts'
import type { HistoryMessage } from '../support/aap-wire.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import {
  complainOfBudget,
  complainOfCompactions,
  complainOfMemories,
  complainOfUsage,
  countCalls,
  type Counted,
} from './judge-lasting.ts'
import { LastingClient, REMEMBERED_CALL, type Place } from './lasting-client.ts'

const CONFIG = fileURLToPath(new URL('lasting.config.ts', import.meta.url))

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
  const epochs = new Map<Place, number[]>()
  const noteEpochs = async (): Promise<void> => {
    for (const place of client.places) {
      const epoch = await readEpoch(folder.dataDir, client.sessionOf(place))
      const before = epochs.get(place) ?? []
      if (before.at(-1) !== epoch) epochs.set(place, [...before, epoch])
    }
  }
  let wasReached = true
  for (const { name, hit } of points) {
    const isReached = await playUntilKilled(
      (server) => client.playOn(server),
      () => folder.start(`${name}=kill@${hit}`),
    )
    wasReached &&= isReached
    await noteEpochs()
  }
  const server = await folder.start()
  try {
    await within(client.playOn(server))
    const memories = await readMemories(server)
    const usage = await readUsage(server)
    const given = new Map<Place, readonly HistoryMessage[]>()
    for (const place of client.places) {
      given.set(place, await server.client(V3).history(client.sessionOf(place), 'compacted'))
    }
    await server.kill()
    await noteEpochs()
    const logs = new Map<Place, StoredSession>()
    for (const place of client.places) {
      logs.set(place, await readStoredSession(folder.dataDir, client.sessionOf(place)))
    }
    const logOf = (place: Place) => logs.get(place)?.stored ?? []
    const judged = client.places.flatMap((place) => {
      const { stored = [], snapshot, drafts = [], wanted = [] } = logs.get(place) ?? {}
      const violations = checkHistory({
        stored,
        ...(snapshot && { snapshot }),
        acknowledged: client.acknowledgedIn(place),
        readers: [],
        epochs: epochs.get(place) ?? [],
        effects: place === 'filled' ? memories.map(() => REMEMBERED_CALL) : [],
        // Twice is once for a memory; that it is there once is looked at below.
        toolEffects: { Remember: 'idempotent' },
        modelMessages: (given.get(place) ?? []).map(toSeedMessage),
      })
      return [
        ...violations.map(({ invariant, message }) => `${place}: ${invariant}: ${message}`),
        ...(drafts.length > 0 ? [`${place}: ${drafts.length} drafts are left over`] : []),
        ...(wanted.length > 0 ? ['a session at rest still wants a runner'] : []),
      ]
    })
    const complaints = [
      ...client.complaints,
      ...judged,
      ...complainOfMemories(memories),
      ...complainOfCompactions(logOf('filled')),
      ...complainOfBudget(logOf('spending')),
      ...complainOfUsage(usage, countCalls(client.places.map(logOf))),
    ]
    return { wasReached, complaints }
  } finally {
    await server.kill()
  }
}

async function readMemories(server: ServerProcess): Promise<readonly string[]> {
  const { memories } = await ask<{ readonly memories: readonly { readonly content: string }[] }>(server, 'memory')
  return memories.map(({ content }) => content)
}

async function readUsage(server: ServerProcess): Promise<Counted> {
  const { total } = await ask<{ readonly total: Counted }>(server, 'usage')
  return { calls: total.calls, inputTokens: total.inputTokens }
}

async function ask<Body>({ url, key }: ServerProcess, path: string): Promise<Body> {
  const headers = { authorization: `Bearer ${key}` }
  const { status, body, text } = await exchangeJson<Body>({
    method: 'GET',
    url: `${url}/api/polylogue/${path}`,
    headers,
  })
  if (status !== 200) throw new Error(`no ${path}: ${status} ${text}`)
  return body
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
