import { asSessionId, type Dispatcher, type DispatchWorker, type JobProblem, type SessionId } from '@polylogue/engine'
import { PgBoss } from 'pg-boss'
import type { Database } from './database.ts'
import { toDriverUrl } from './driver-url.ts'

export interface BossDispatcherOptions {
  /** A connection to the server itself: LISTEN does not work through a pooler of transactions. */
  readonly url: string
  readonly db: Database
  report(problem: JobProblem): void
}

interface TurnJob {
  readonly sessionId: string
}

const SCHEMA = 'polylogue_jobs'
const TURNS = 'turns'
/** Jobs that failed too often. */
const DEAD = 'dead'
/** A worker with less capacity takes no jobs, because a batch must not wait. */
const BATCH = 8
const LOOK_FOR_ROOM_MS = 100
const RETRIES = 5

/** Jobs by pg-boss, in a separate schema. A job lives for milliseconds: the lease of a node replaces its heartbeat. */
export function createBossDispatcher({ url, db, report }: BossDispatcherOptions): Dispatcher {
  const boss = new PgBoss({
    connectionString: toDriverUrl(url),
    schema: SCHEMA,
    application_name: 'polylogue jobs',
    max: 2,
    schedule: false,
    useListenNotify: true,
  })
  // The store is also searched for sessions without a runner.
  boss.on('error', (error) => report({ message: 'turns are not dispatched by jobs at the moment', error }))
  let started: Promise<unknown> | undefined
  let isUsed = false
  let roomTimer: NodeJS.Timeout | undefined
  let isWorking = false
  let isStopped = false

  /** A failed start is tried again by the next job. */
  const begin = (): Promise<unknown> =>
    (started ??= prepare().catch((error: unknown) => {
      started = undefined
      throw error
    }))
  const prepare = async (): Promise<void> => {
    isUsed = true
    await boss.start()
    await boss.createQueue(DEAD, { policy: 'standard', retryLimit: RETRIES, retryBackoff: true })
    await boss.createQueue(TURNS, {
      policy: 'short',
      notify: true,
      retryLimit: RETRIES,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 5,
      expireInSeconds: 30,
      deadLetter: DEAD,
    })
  }

  const send = async (sessionId: SessionId): Promise<void> => {
    await begin()
    // The more sessions of a user wait, the later the job runs: every user's first turn precedes any second turn.
    const text = 'SELECT polylogue.count_wanted($1) AS waiting'
    const [row] = await db.read({ name: 'count_wanted', text, values: [sessionId] })
    await boss.send(TURNS, { sessionId }, { singletonKey: sessionId, priority: -Number(row?.['waiting'] ?? 0) })
  }

  /** Jobs expire while a handler waits, so a process without capacity stops fetching. */
  const followRoom = async (worker: DispatchWorker): Promise<void> => {
    const hasRoom = worker.room() >= BATCH
    if (hasRoom && !isWorking) {
      isWorking = true
      await boss.work<TurnJob, unknown, typeof WORK>(TURNS, WORK, (jobs) =>
        Promise.all(
          jobs.map(async ({ id, data }) => {
            try {
              await worker.take(asSessionId(data.sessionId))
              return { id, status: 'completed' as const }
            } catch (error) {
              report({ message: 'a job failed', sessionId: asSessionId(data.sessionId), error })
              return { id, status: 'failed' as const }
            }
          }),
        ),
      )
    } else if (!hasRoom && isWorking) {
      isWorking = false
      await boss.offWork(TURNS)
    }
    if (!isStopped) roomTimer = setTimeout(() => void followRoom(worker).catch(tell), LOOK_FOR_ROOM_MS).unref()
  }
  const tell = (error: unknown): void => report({ message: 'jobs cannot be taken', error })

  return {
    send: (sessionId) =>
      void send(sessionId).catch((error: unknown) => {
        report({ message: 'a job was not sent', sessionId, error })
      }),
    async start(worker) {
      await begin()
      await boss.work<TurnJob>(DEAD, { pollingIntervalSeconds: 2 }, async (jobs) => {
        for (const { data } of jobs) await worker.giveUp(asSessionId(data.sessionId))
      })
      await followRoom(worker)
    },
    async stop() {
      if (isStopped) return
      isStopped = true
      clearTimeout(roomTimer)
      if (started === undefined) return
      await Promise.all([boss.offWork(TURNS), boss.offWork(DEAD)]).catch(tell)
    },
    async close() {
      if (!isUsed) return
      await started?.catch(() => undefined)
      await boss.stop({ graceful: false }).catch(tell)
    },
  }
}

const WORK = {
  batchSize: BATCH,
  pollingIntervalSeconds: 1,
  notifyPollingIntervalSeconds: 1,
  perJobResults: true,
} as const
