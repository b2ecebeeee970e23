import {
  createIds,
  replayLog,
  type EventStore,
  type Recorded,
  type ReplayParts,
  type SessionId,
} from '@polylogue/engine'
import type { ConsoleDeps } from '@polylogue/console'
import { randomBytes } from '../platform/random-bytes.ts'
import { sha256 } from '../platform/sha256.ts'
import { systemClock } from '../platform/system-clock.ts'
import { toAgentRecord } from './agent-record.ts'
import { giveWay } from './replay-recording.ts'

const MOST_EVENTS = 20_000
const PAGE = 1_000

type Today = Omit<ReplayParts, 'ids' | 'digest'>

/** Replays sessions with the agents, rules and budgets that this server has now. */
export function createReplays(events: EventStore, today: Today): ConsoleDeps['replay'] {
  const ids = createIds(systemClock, randomBytes, sha256)
  return {
    async run(sessionId) {
      const log = await readLog(events, sessionId)
      if (log === undefined) return undefined
      const readBlob = async (hash: string) => (await events.readBlob(sessionId, hash))?.bytes
      return replayLog({ events: log, readBlob, parts: { ...today, ids, digest: sha256 }, giveWay })
    },
    describeAgents(name) {
      const others = today.agents.list().filter((agent) => agent.name !== name)
      return [today.agents.find(name), ...others].flatMap((agent) => (agent ? [toAgentRecord(agent)] : []))
    },
  }
}

async function readLog(events: EventStore, sessionId: SessionId): Promise<readonly Recorded[] | undefined> {
  const log: Recorded[] = []
  for (;;) {
    const page = await events.readEvents(sessionId, log.length, PAGE)
    if (page.length === 0) return log
    log.push(...page)
    if (log.length > MOST_EVENTS) return undefined
  }
}
