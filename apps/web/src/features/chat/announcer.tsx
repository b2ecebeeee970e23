import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SessionHeadline } from '../../model/open-session.ts'

/** The only thing that a screen reader is told by itself: one sentence when an answer begins, ends or needs somebody. */
export function Announcer({ head }: { readonly head: SessionHeadline }) {
  const { t } = useTranslation()
  const [said, setSaid] = useState({ sentence: '', answers: 0 })
  const { isRunning, answers, waiting, phase } = head
  const before = useRef({ isRunning, answers })
  useEffect(() => {
    if (phase !== 'ready') return
    // A short turn may begin and end between two looks: then only the number of answers has changed.
    const last = before.current
    before.current = { isRunning, answers }
    if (waiting.length > 0) setSaid({ sentence: t('needsYou'), answers })
    else if (isRunning && !last.isRunning) setSaid({ sentence: t('answering'), answers })
    else if (!isRunning && (last.isRunning || last.answers !== answers)) setSaid({ sentence: t('answered'), answers })
  }, [isRunning, answers, waiting.length, phase, t])
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      <span key={said.answers}>{said.sentence}</span>
    </p>
  )
}
