import { useCallback, useEffect, useState } from 'react'
import { listRuns, listSlots, listTasks, type ScheduledTask, type TaskRun } from '../../model/schedules-rest.ts'
import { dayKey, monthDays } from './month-days.ts'

export interface DueSlot {
  readonly taskId: string
  readonly title: string
  readonly at: Date
}

export interface Schedules {
  readonly tasks: readonly ScheduledTask[] | undefined
  /** By day. */
  readonly slots: ReadonlyMap<string, readonly DueSlot[]>
  readonly runs: ReadonlyMap<string, readonly TaskRun[]>
  readonly problem: string | undefined
  /** Does something, tells what the server has against it, and reads everything again. */
  run(work: () => Promise<unknown>): Promise<boolean>
}

/** Runs are told by nobody; a minute is the shortest pause between two. */
const EVERY_MS = 15_000
const NONE = new Map<string, never>()

export function useSchedules(month: Date): Schedules {
  const [read, setRead] = useState<Omit<Schedules, 'problem' | 'run'>>({ tasks: undefined, slots: NONE, runs: NONE })
  const [problem, setProblem] = useState<string>()
  const [round, setRound] = useState(0)
  const key = dayKey(month)
  useEffect(() => {
    let isCurrent = true
    const load = async (): Promise<void> => {
      try {
        const found = await readMonth(month)
        if (isCurrent) setRead(found)
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

async function readMonth(month: Date): Promise<Omit<Schedules, 'problem' | 'run'>> {
  const days = monthDays(month)
  const from = days[0] ?? month
  const last = days.at(-1) ?? month
  const to = new Date(last.getFullYear(), last.getMonth(), last.getDate() + 1)
  const [tasks, due] = await Promise.all([listTasks(), listSlots(from, to)])
  const runs = (await Promise.all(tasks.map(({ id }) => listRuns(id)))).flat()
  const slots = due.flatMap(({ task_id, title, occurrences }) =>
    occurrences.map((time): DueSlot => ({ taskId: task_id, title, at: new Date(time) })),
  )
  return {
    tasks,
    slots: Map.groupBy(
      slots.toSorted((a, b) => a.at.getTime() - b.at.getTime()),
      ({ at }) => dayKey(at),
    ),
    runs: Map.groupBy(runs, ({ triggered_at }) => dayKey(new Date(triggered_at))),
  }
}
