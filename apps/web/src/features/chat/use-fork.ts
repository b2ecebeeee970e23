import { useState } from 'react'
import { useLocation } from 'wouter'
import type { NewMessage } from '../../model/console-model.ts'
import { useModel } from '../../ui/model-context.tsx'

export interface Fork {
  /** Says something in place of the message `inputId`, in a new session, and goes there. */
  fork(inputId: string, message: () => Promise<NewMessage>): Promise<void>
  readonly isBusy: boolean
  readonly problem: string | undefined
}

export function useFork(sessionId: string): Fork {
  const model = useModel()
  const [, navigate] = useLocation()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  return {
    isBusy,
    problem,
    async fork(inputId, message) {
      setBusy(true)
      setProblem(undefined)
      try {
        navigate(`/s/${await model.forkBefore(sessionId, inputId, await message())}`)
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error))
      } finally {
        setBusy(false)
      }
    },
  }
}
