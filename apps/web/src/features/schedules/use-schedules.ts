import { useCallback, useEffect, useState } from 'react'
import { listAllSlots, listRuns, listTasks, type ScheduledTask, type TaskRun } from '../../model/schedules-rest.ts'
import { dayKey, monthDays } from './month-days.ts'

export interface DueSlot {
  readonly taskId: string
  readonly title: string
  readonly at: Date
}

export interface Schedules {
  readonly tasks: readonly ScheduledTask[] | undefined
  /** What is still due, by day. */
  readonly slots: ReadonlyMap<string, readonly DueSlot[]>
  /** Due times after this moment may be missing. */
  readonly until: Date | undefined
  readonly runs: ReadonlyMap<string, readonly TaskRun[]>
  readonly problem: string | undefined
  /** Does something, tells what the server has against it, and reads everything again. */
  run(work: () => Promise<unknown>): Promise<boolean>
}

/** Runs are told by nobody; a minute is the shortest pause between two. */
const EVERY_MS = 15_000
const NONE = new Map<string, never>()

type Read = Omit<Schedules, 'problem' | 'run'>
const NOTHING: Read = { tasks: undefined, slots: NONE, until: undefined, runs: NONE }

export function useSchedules(month: Date): Schedules {
  const [read, setRead] = useState(NOTHING)
  const [problem, setProblem] = useState<string>()
  const [round, setRound] = useState(0)
  const key = dayKey(month)
  useEffect(() => {
    let isCurrent = true
    let before: Read | undefined
    const load = async (): Promise<void> => {
      try {
        before = await readMonth(month, before)
        if (isCurrent) setRead(before)
      } catch (error) {
        if (isCurrent) setProblem(messageOf(error))
      }
    }
    void load()
    const timer = setInterval(() => void load(), EVERY_MS)
    return () => {
      isCurrent = false
      clearInterval(timer)
    }
  }, [key, round])
  const run = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setProblem(undefined)
    try {
      await work()
      return true
    } catch (error) {
      setProblem(messageOf(error))
      return false
    } finally {
      setRound((before) => before + 1)
    }
  }, [])
  return { ...read, problem, run }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The due times change with the tasks only. */
async function readMonth(month: Date, before: Read | undefined): Promise<Read> {
  const tasks = await listTasks()
  const runs = (await Promise.all(tasks.map(({ id }) => listRuns(id)))).flat()
  const isSame = before !== undefined && JSON.stringify(before.tasks) === JSON.stringify(tasks)
  return {
    tasks,
    ...(isSame ? { slots: before.slots, until: before.until } : await readSlots(month)),
    runs: Map.groupBy(runs, ({ triggered_at }) => dayKey(new Date(triggered_at))),
  }
}

async function readSlots(month: Date): Promise<Pick<Read, 'slots' | 'until'>> {
  const days = monthDays(month)
  const from = days[0] ?? month
  const last = days.at(-1) ?? month
  const to = new Date(last.getFullYear(), last.getMonth(), last.getDate() + 1)
  // What was due before the task was made never ran.
  const { slots, until } = await listAllSlots(new Date(Math.max(from.getTime(), Date.now())), to)
  const due = slots.flatMap(({ task_id, title, occurrences }) =>
    occurrences.map((time): DueSlot => ({ taskId: task_id, title, at: new Date(time) })),
  )
  return {
    slots: Map.groupBy(
      due.toSorted((a, b) => a.at.getTime() - b.at.getTime()),
      ({ at }) => dayKey(at),
    ),
    until,
  }
}
