import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createFakeClock,
  createMemoryEventStore,
  createReaderLog,
  createTestEngine,
  useSession,
} from '@polylogue/testkit'
import { evolve, type Recorded, type SessionState } from '@polylogue/engine'
import { findUnpaired } from './check-pairing.ts'
import { machineSequence, type MachineCommand, type MachineModel } from './machine/commands.ts'
import { World } from './machine/world.ts'
import { readWholeLog } from '../support/read-whole-log.ts'

const RUNS = 150

interface PlayedLog {
  readonly log: readonly Recorded[]
  readonly snapshots: World['snapshots']
}

/** Logs as random sequences of commands, crashes and answers leave them. */
async function playedLogs(sequence: readonly MachineCommand[]): Promise<readonly PlayedLog[]> {
  const world = new World()
  const model: MachineModel = { sessions: [], names: 0 }
  await fc.asyncModelRun(() => ({ model, real: world }), sequence)
  const logs: PlayedLog[] = []
  for (const { sessionId } of world.sessions) {
    const log = await readWholeLog(world.store, sessionId)
    if (log.length > 0)
      logs.push({ log, snapshots: world.snapshots.filter((snapshot) => snapshot.sessionId === sessionId) })
  }
  return logs
}

function forEveryLog(check: (played: PlayedLog) => Promise<void> | void): Promise<void> {
  return fc.assert(
    fc.asyncProperty(machineSequence(), async (sequence) => {
      for (const played of await playedLogs(sequence)) await check(played)
    }),
    { numRuns: RUNS },
  )
}

function fold(log: readonly Recorded[], from?: SessionState): SessionState {
  let state = from
  for (const recorded of log) state = evolve(state, recorded)
  if (state === undefined) throw new Error('a log has at least one event')
  return state
}

const throughJson = (state: SessionState): SessionState => JSON.parse(JSON.stringify(state))

/** An engine that finds exactly these events in its store. */
async function engineOn(log: readonly Recorded[]) {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const { sessionId, userId } = fold(log)
  await store.append({
    sessionId,
    expectedSeq: 0,
    create: { userId },
    at: 0,
    events: log.map(({ event }) => event),
    wanted: false,
  })
  return useSession(createTestEngine({ store, clock }), sessionId)
}

describe('of every log', () => {
  it('each prefix, stored and read again as a snapshot, continues like the log itself', async () => {
    await forEveryLog(({ log }) => {
      const whole = throughJson(fold(log))
      for (let length = 1; length < log.length; length++) {
        const snapshot = throughJson(fold(log.slice(0, length)))
        expect(throughJson(fold(log.slice(length), snapshot))).toEqual(whole)
      }
    })
  }, 60_000)

  it('each snapshot that was stored is the fold of the events before it', async () => {
    await forEveryLog(({ log, snapshots }) => {
      for (const { seq, state } of snapshots) expect(JSON.parse(state)).toEqual(throughJson(fold(log.slice(0, seq))))
    })
  }, 60_000)

  it('the model is given a valid history at the end of each turn and before each step', async () => {
    await forEveryLog(async ({ log }) => {
      const boundaries = log.filter(({ event }) => event.type === 'turn.ended' || event.type === 'step.started')
      for (const { seq } of boundaries) {
        const { engine, user, sessionId } = await engineOn(log.slice(0, seq))
        expect(findUnpaired(await engine.readHistory(user, sessionId, 'compacted'), false)).toEqual([])
      }
    })
  }, 60_000)

  it('the events up to any point and the rest from there are the whole', async () => {
    await forEveryLog(async ({ log }) => {
      const { engine, user, sessionId } = await engineOn(log)
      for (let seq = 0; seq <= log.length; seq++) {
        const reader = createReaderLog({ seq })
        await engine.attach(user, sessionId, { after: { seq }, reader })
        expect(reader.seqs()).toEqual(log.slice(seq).map((recorded) => recorded.seq))
      }
    })
  }, 60_000)
})
