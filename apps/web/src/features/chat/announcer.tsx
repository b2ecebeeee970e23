import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SessionHeadline } from '../../model/open-session.ts'

/** The only thing that a screen reader is told by itself: one sentence when an answer begins, ends or needs somebody. */
export function Announcer({ head }: { readonly head: SessionHeadline }) {
  const { t } = useTranslation()
  const [sentence, setSentence] = useState('')
  const wasRunning = useRef(head.isRunning)
  const { isRunning, waiting, phase } = head
  useEffect(() => {
    if (phase !== 'ready') return
    if (waiting.length > 0) setSentence(t('needsYou'))
    else if (isRunning && !wasRunning.current) setSentence(t('answering'))
    else if (!isRunning && wasRunning.current) setSentence(t('answered'))
    wasRunning.current = isRunning
  }, [isRunning, waiting.length, phase, t])
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {sentence}
    </p>
  )
}
