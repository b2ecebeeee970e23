import type { TurnProjection } from '@polylogue/client/blade'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { inputOf, saidAgain } from '../../model/said-again.ts'
import type { TurnSource } from '../../model/turn-source.ts'
import { useModel } from '../../ui/model-context.tsx'
import { useFork } from './use-fork.ts'

interface AskAgainProps {
  readonly session: TurnSource
  /** Of the agent. */
  readonly turn: TurnProjection
  /** As a button with words, not as a symbol. */
  readonly hasWords?: boolean
}

/** Sends the same message once more, in a fork that begins before it. */
export function AskAgain({ session, turn, hasWords = false }: AskAgainProps) {
  const { t } = useTranslation()
  const { fork, isBusy, problem } = useFork(session.id)
  const [isTold, setTold] = useState(false)
  const { isEmbedded } = useModel()
  if (!session.mayChange || isEmbedded) return null
  const run = (): void => {
    const input = inputOf(session, turn)
    setTold(input === undefined)
    if (input !== undefined) void fork(input.id, () => saidAgain(input))
  }
  return (
    <>
      <button
        type="button"
        className={hasWords ? 'button' : 'copy'}
        aria-label={hasWords ? undefined : t('regenerate')}
        title={t('regenerateHint')}
        disabled={isBusy}
        onClick={run}
      >
        <RotateCcw size={14} aria-hidden /> {hasWords ? t('retry') : null}
      </button>
      {isTold || problem !== undefined ? <span role="alert">{problem ?? t('nothingToRepeat')}</span> : null}
    </>
  )
}
