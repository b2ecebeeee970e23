import { createIds, replayLog, type AgentDefinition, type ReplayReport } from '@polylogue/engine'
import { createFakeClock, plainParts, testDigest, untilQuiet } from '@polylogue/testkit'
import { randomBytes } from 'node:crypto'
import {
  catalogOf,
  createReplayAgent,
  createReplayTools,
  playRandomSession,
  type RandomSession,
} from './random-session.ts'

export interface Replayed {
  readonly session: RandomSession
  readonly report: ReplayReport
}

/** How the agent differs from the one that the sessions were played with. */
export interface Changes {
  readonly agent?: Partial<AgentDefinition>
  readonly without?: string
  /** The store of rules answers late, as a database elsewhere does. */
  readonly isSlow?: boolean
}

/** Plays this many random sessions, and replays each with the agent changed. */
export async function replaySample(count: number, changes: Changes = {}): Promise<readonly Replayed[]> {
  const replayed: Replayed[] = []
  for (let at = 0; at < count; at += 1) {
    const session = await playRandomSession(`session ${at}`)
    replayed.push({ session, report: await replaySession(session, changes) })
  }
  return replayed
}

export function replaySession(
  session: RandomSession,
  { agent = {}, without, isSlow = false }: Changes = {},
): Promise<ReplayReport> {
  const tools = createReplayTools().filter(({ name }) => name !== without)
  return replayLog({
    ...session,
    parts: {
      ...plainParts,
      ...(isSlow && { rules: { ...plainParts.rules, listRules: answerLate } }),
      agents: catalogOf(createReplayAgent({ ...agent, tools })),
      digest: testDigest,
      ids: createIds(createFakeClock(), (length) => randomBytes(length), testDigest),
    },
    giveWay: untilQuiet,
  })
}

async function answerLate(): Promise<readonly []> {
  for (let round = 0; round < 20; round += 1) await untilQuiet()
  return []
}

/** A model was asked again in the same loop of a turn. */
export function needsSecondStep({ events }: RandomSession): boolean {
  const answered = new Set<string>()
  return events.some(({ event }) => {
    if (event.type === 'step.answered') answered.add(`${event.turnId}/${event.loopId ?? 'root'}`)
    return event.type === 'step.started' && answered.has(`${event.turnId}/${event.loopId}`)
  })
}

export const describeReplay = ({ session, report }: Replayed): readonly string[] =>
  report.differences.map(
    ({ seq, type, detail, logged, today }) =>
      `${session.name} at ${seq}: ${type} ${detail ?? ''} ${JSON.stringify(logged)?.slice(0, 300)} / ${JSON.stringify(today)?.slice(0, 300)}`,
  )
