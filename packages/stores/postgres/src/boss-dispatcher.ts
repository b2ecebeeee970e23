import { asSessionId, type Dispatcher, type DispatchWorker, type JobProblem, type SessionId } from '@polylogue/engine'
import { PgBoss } from 'pg-boss'
import { toHelpfulFault } from './connect.ts'
import type { Database } from './database.ts'
import { toDriverUrl } from './driver-url.ts'

export interface BossDispatcherOptions {
  /** A connection to the server itself: LISTEN does not work through a pooler of transactions. */
  readonly url: string
  readonly db: Database
  /** How long a statement may take before its connection counts as lost. Default: 30 seconds. */
  readonly answerWithinMs?: number
  report(problem: JobProblem): void
}

interface TurnJob {
  readonly sessionId: string
}

const SCHEMA = 'polylogue_jobs'
const TURNS = 'turns'
/** Jobs that failed too often. */
const DEAD = 'dead'
/** A worker with less room takes one job at a time. */
const BATCH = 8
/** Every turn of a web node is a job. By itself, pg-boss keeps each for a week, and looks once a day for old ones. */
const KEPT_SECONDS = 600
const LOOK_FOR_ROOM_MS = 100
const RETRIES = 5
/** A network may swallow everything without closing the connection. */
const ANSWER_WITHIN_MS = 30_000
/** While the database is away, pg-boss fails several times a second. */
const TELL_AGAIN_MS = 60_000

/** Jobs by pg-boss, in a separate schema. A job lives for milliseconds: the lease of a node replaces its heartbeat. */
export function createBossDispatcher(options: BossDispatcherOptions): Dispatcher {
  const { url, db, answerWithinMs = ANSWER_WITHIN_MS, report } = options
  // pg-boss hands the settings of the driver on.
  const driver = { keepAlive: true, query_timeout: answerWithinMs }
  const boss = new PgBoss({
    ...driver,
    connectionString: toDriverUrl(url),
    schema: SCHEMA,
    application_name: 'polylogue jobs',
    max: 2,
    schedule: false,
    maintenanceIntervalSeconds: KEPT_SECONDS,
    useListenNotify: true,
  })
  let toldAt = -Infinity
  boss.on('error', (error) => {
    if (performance.now() - toldAt < TELL_AGAIN_MS) return
    toldAt = performance.now()
    // The store is also searched for sessions without a runner.
    report({ message: 'turns are not dispatched by jobs at the moment; waiting ones begin a second later', error })
  })
  let started: Promise<unknown> | undefined
  let isUsed = false
  let roomTimer: NodeJS.Timeout | undefined
  /** How many jobs are fetched at a time. */
  let batch = 0
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
    // They may be from an older version.
    for (const queue of [DEAD, TURNS]) await boss.updateQueue(queue, { deleteAfterSeconds: KEPT_SECONDS })
  }

  const send = async (sessionId: SessionId): Promise<void> => {
    await begin()
    // The more sessions of a user wait, the later the job runs: every user's first turn precedes any second turn.
    const text = 'SELECT polylogue.count_wanted($1) AS waiting'
    const [row] = await db.read({ name: 'count_wanted', text, values: [sessionId] })
    await boss.send(TURNS, { sessionId }, { singletonKey: sessionId, priority: -Number(row?.['waiting'] ?? 0) })
  }

  /** Jobs expire while a handler waits, so a process without room stops fetching. */
  const followRoom = async (worker: DispatchWorker): Promise<void> => {
    const room = worker.room()
    const fitting = room >= BATCH ? BATCH : Math.min(1, room)
    if (fitting === batch) return
    if (batch > 0) await boss.offWork(TURNS)
    batch = 0
    if (fitting > 0) {
      await boss.work<TurnJob, unknown, WorkOptions>(TURNS, { ...WORK, batchSize: fitting }, (jobs) =>
        Promise.all(
          jobs.map(async ({ id, data }) => {
            // Another node may have room.
            if (worker.room() <= 0) return { id, status: 'failed' as const }
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
      batch = fitting
    }
  }
  const keepFollowing = async (worker: DispatchWorker): Promise<void> => {
    await followRoom(worker).catch(tell)
    // It may have been stopped meanwhile. A worker that began then would take jobs that nobody runs.
    if (isStopped) return boss.offWork(TURNS)
    roomTimer = setTimeout(() => void keepFollowing(worker).catch(tell), LOOK_FOR_ROOM_MS).unref()
  }
  const tell = (error: unknown): void => report({ message: 'jobs cannot be taken', error })

  return {
    send: (sessionId) =>
      void send(sessionId).catch((error: unknown) => {
        report({ message: 'a job was not sent', sessionId, error })
      }),
    async start(worker) {
      await begin().catch((error: unknown) => {
        throw toHelpfulFault(error)
      })
      await boss.work<TurnJob>(DEAD, { pollingIntervalSeconds: 2 }, async (jobs) => {
        for (const { data } of jobs) await worker.giveUp(asSessionId(data.sessionId))
      })
      await keepFollowing(worker)
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
  pollingIntervalSeconds: 1,
  notifyPollingIntervalSeconds: 1,
  perJobResults: true,
} as const

type WorkOptions = typeof WORK & { readonly batchSize: number }
