import type { ConsoleClient } from '@polylogue/client/console'
import { useCallback, useEffect, useState } from 'react'
import { useModel } from '../../ui/model-context.tsx'

export interface Answer<T> {
  readonly value: T | undefined
  readonly problem: string | undefined
  /** Asks again. */
  reload(): void
  /** Does something, tells what the server has against it, and asks again. */
  run(work: (api: ConsoleClient) => Promise<unknown>): Promise<void>
}

/** What our own protocol answers. `key` says when the question is another one. */
export function useAnswer<T>(key: string, ask: (api: ConsoleClient) => Promise<T>): Answer<T> {
  const model = useModel()
  const [value, setValue] = useState<T>()
  const [problem, setProblem] = useState<string>()
  const [readProblem, setReadProblem] = useState<string>()
  const [round, setRound] = useState(0)
  useEffect(() => {
    let isCurrent = true
    const read = async (): Promise<void> => {
      try {
        const answer = await ask(await model.api())
        if (!isCurrent) return
        setValue(answer)
        setReadProblem(undefined)
      } catch (error) {
        if (isCurrent) setReadProblem(error instanceof Error ? error.message : String(error))
      }
    }
    void read()
    return () => void (isCurrent = false)
  }, [model, key, round])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  const run = async (work: (api: ConsoleClient) => Promise<unknown>): Promise<void> => {
    setProblem(undefined)
    try {
      await work(await model.api())
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
    reload()
  }
  return { value, problem: problem ?? readProblem, reload, run }
}
