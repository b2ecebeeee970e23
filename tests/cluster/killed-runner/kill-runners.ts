// A node is killed, or frozen for longer than its lease, while it runs turns of every door. Another node continues them,
// and their clients read on there.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { asSessionId, type Recorded, type Stores } from '@polylogue/engine'
import { openPostgresStores } from '@polylogue/store-postgres'
import { checkHistory } from '../../checker/check-history.ts'
import { startCutProxy } from '../../client/cut-proxy.ts'
import { toSeedMessage } from '../../crash/to-seed-message.ts'
import { createSeededRandom, type SeededRandom } from '../../storage-faults/seeded-random.ts'
import { V3 } from '../../support/aap-dialect.ts'
import { eventually } from '../../support/eventually.ts'
import { NEXT, call, script } from '../../support/script.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { createTestDatabase, query } from '../../support/test-database.ts'
import { prepareNodes } from '../support/nodes.ts'
import { type Door, type Place, type Talk, talkByAap, talkByAcp, talkByBlade, talkByConsole } from './talks.ts'
import { readWholeLog } from '../../support/read-whole-log.ts'

export interface KillPlan {
  readonly kills: number
  /**
   * `freeze`: the node wakes when others have ended its turns. Its clock is wrong by five minutes. `kill-web`: the node that is
   * killed only serves the clients, and another one runs their turns. Default: `kill`.
   */
  readonly how?: 'kill' | 'kill-web' | 'freeze'
  readonly seed: string
  /** Until another node writes in a turn of the killed one. Ten seconds are promised. */
  readonly withinMs: number
}

export interface Killed {
  /** Turns that the killed nodes ran at that moment; if they ran none, turns that had not ended. */
  readonly turns: number
  readonly slowestMs: number
  readonly complaints: readonly string[]
}

const CONFIG = fileURLToPath(new URL('killed-runner.config.ts', import.meta.url))
const DOORS: readonly Door[] = [talkByAap, talkByBlade, talkByConsole, talkByAcp]
const SHIFT = new URL('../support/shift-clock.ts', import.meta.url).href
const MINUTES_5 = 5 * 60_000
/** The turns of most doors still run then. */
const LATEST_MS = 900

export async function killRunners({ kills, how = 'kill', seed, withinMs }: KillPlan): Promise<Killed> {
  const random = createSeededRandom(seed)
  const database = await createTestDatabase()
  const nodes = await prepareNodes(database.url, CONFIG)
  const effectsFile = join(nodes.folder, 'effects')
  const environment = { POLYLOGUE_TEST_EFFECTS: effectsFile, POLYLOGUE_TEST_ROOT: nodes.folder }
  const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }
  const survivor = await nodes.start('survivor', { environment })
  const stores = await openPostgresStores({ url: database.url, clock })
  const proxy = await startCutProxy(survivor.url)
  const { key } = survivor
  await allow(survivor, 'pay')
  const stranger = await survivor.createKey('stranger')
  const complaints: string[] = []
  let [turns, slowestMs] = [0, 0]
  try {
    for (let kill = 0; kill < kills; kill++) {
      const victim = await nodes.start('victim', {
        ...(how === 'kill-web' && { flags: ['--role', 'web'] }),
        environment: { ...environment, ...(how === 'freeze' && clockOff(kill % 2 === 0 ? MINUTES_5 : -MINUTES_5)) },
      })
      proxy.target = victim.url
      const place = { url: proxy.url, key, cwd: nodes.folder }
      const talks = await Promise.all(
        DOORS.map((talk, door) => begin(talk, place, () => inputOf(`${kill}x${door}`, random))),
      )
      await delay(random.int(LATEST_MS))
      const ran = await ownedBy(database.url, how === 'kill-web' ? survivor : victim)
      if (how === 'freeze') process.kill(victim.pid, 'SIGSTOP')
      else await victim.kill()
      const killedAt = Date.now()
      proxy.target = survivor.url
      proxy.cut()
      for (const talk of talks) {
        const complain = (what: string): void => void complaints.push(`kill ${kill}, ${talk.door}: ${what}`)
        await talk.ended().catch((error: unknown) => complain(String(error)))
        const log = await readWholeLog(stores.events, asSessionId(talk.id))
        for (const what of await judge({ talk, log, stores, survivor, effectsFile })) complain(what)
        const seen = await survivor.client(V3, stranger).get(talk.id)
        if (seen.status !== 404) complain(`I10: another user gets ${seen.status}`)
        const next = log.find(({ at }) => at >= killedAt)
        if (!ran.has(talk.id) || next === undefined) continue
        turns += 1
        slowestMs = Math.max(slowestMs, next.at - killedAt)
        if (next.at - killedAt > withinMs) complain(`went on after ${next.at - killedAt} ms only`)
      }
      if (how === 'freeze') complaints.push(...(await wake(victim, talks, stores)))
      for (const talk of talks) talk.close()
      await victim.kill()
    }
  } finally {
    await proxy.stop()
    await stores.close()
    await nodes.remove()
    await database.drop()
  }
  return { turns, slowestMs, complaints }
}

/** A busy node may refuse. Every attempt has calls of its own. */
async function begin(talk: Door, place: Place, input: () => string): Promise<Talk> {
  return eventually(() => talk(place, input()).catch(() => undefined), 'the turn begins')
}

const clockOff = (ms: number) => ({ NODE_OPTIONS: `--import ${SHIFT}`, CLOCK_OFF_MS: String(ms) })

/** Lets a frozen node run again. It must find out that its turns are not its own any more, and write nothing. */
async function wake(victim: ServerProcess, talks: readonly Talk[], stores: Stores): Promise<readonly string[]> {
  const readLogs = async (): Promise<readonly string[]> =>
    Promise.all(talks.map(async ({ id }) => JSON.stringify(await readWholeLog(stores.events, asSessionId(id)))))
  const before = await readLogs()
  process.kill(victim.pid, 'SIGCONT')
  // It serves a request of each session, so it has read their heads.
  for (const { id } of talks)
    await eventually(async () => {
      // It first lets its clients go, who have been served elsewhere.
      const answer = await victim
        .client(V3)
        .get(id)
        .catch(() => undefined)
      return answer?.status === 200 ? true : undefined
    }, 'the node that was frozen serves again')
  const after = await readLogs()
  return talks.flatMap(({ door }, index) =>
    before[index] === after[index] ? [] : [`${door}: the log changed when its former runner woke`],
  )
}

/** Three steps with pauses, two calls that must not be repeated and one that may. */
function inputOf(place: string, random: SeededRandom): string {
  const name = `${place}x${random.int(1e9)}`
  return script(
    ...[`say begin ${name}`, `sleep ${200 + random.int(500)}`, 'say and', call(`a${name}`, 'pay')],
    ...[NEXT, 'say middle', `sleep ${200 + random.int(500)}`, call(`b${name}`, 'look'), call(`c${name}`, 'pay')],
    ...[NEXT, `say end ${name}`],
  )
}

async function allow({ url, key }: ServerProcess, tool: string): Promise<void> {
  const answer = await fetch(`${url}/api/polylogue/permissions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ tool, action: 'allow' }),
  })
  if (answer.status !== 201) throw new Error(`the rule was refused: ${answer.status} ${await answer.text()}`)
}

async function ownedBy(url: string, { pid }: ServerProcess): Promise<ReadonlySet<string>> {
  const text = 'SELECT session_id FROM polylogue.sessions WHERE wanted_since IS NOT NULL AND owner LIKE $1'
  return new Set((await query(url, text, [`${pid}-%`])).map((row) => String(row['session_id'])))
}

interface Judged {
  readonly talk: Talk
  readonly log: readonly Recorded[]
  readonly stores: Stores
  readonly survivor: ServerProcess
  readonly effectsFile: string
}

async function judge({ talk, log, stores, survivor, effectsFile }: Judged): Promise<readonly string[]> {
  const effects = (await readFile(effectsFile, 'utf8').catch(() => '')).split('\n')
  const snapshot = await stores.events.readSnapshot(asSessionId(talk.id))
  const messages = await survivor.client(V3).history(talk.id, 'compacted')
  const violations = checkHistory({
    stored: log,
    ...(snapshot && { snapshot }),
    acknowledged: [{ type: 'input', text: talk.input }],
    readers: talk.readers(),
    epochs: [],
    effects: effects.filter((effect) => talk.input.includes(`call ${effect} `)),
    toolEffects: { look: 'readonly', pay: 'unsafe' },
    modelMessages: messages.map(toSeedMessage),
  })
  const end = log.find(({ event }) => event.type === 'turn.ended')
  const complaints = violations.map(({ invariant, message }) => `${invariant}: ${message}`)
  if (end === undefined) complaints.push('the turn has no end')
  if ((await stores.events.readDrafts(asSessionId(talk.id))).length > 0) complaints.push('drafts remain')
  return complaints
}
