import type { WaitingCall } from '@polylogue/console/client'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OpenSession } from '../../model/open-session.ts'
import { resultText } from '../../model/call-facts.ts'
import { ApprovalCard } from './approval-card.tsx'
import { ClientWait } from './client-wait.tsx'
import { QuestionForm } from './question-form.tsx'
import './approvals.css'

interface ApprovalDockProps {
  readonly session: OpenSession
  readonly waiting: readonly WaitingCall[]
}

/** What the session waits for, one at a time, above the composer. */
export function ApprovalDock({ session, waiting }: ApprovalDockProps) {
  const { t } = useTranslation()
  const [index, setIndex] = useState(0)
  const note = useAnsweredElsewhere(session, waiting)
  const current = waiting[Math.min(index, waiting.length - 1)]
  return (
    <>
      {note === undefined ? null : (
        <p className="answered-note" role="status">
          {note}
        </p>
      )}
      {current === undefined ? null : (
        <section
          className="ask"
          key={current.toolCallId}
          aria-label={t('needsYou')}
          data-waiting={current.toolCallId}
          tabIndex={-1}
        >
          <WaitingPart session={session} call={current}>
            {waiting.length > 1 ? (
              <span className="ask-count">
                <button
                  type="button"
                  className="button bare icon"
                  aria-label={t('previous')}
                  disabled={index === 0}
                  onClick={() => setIndex(Math.max(0, index - 1))}
                >
                  ‹
                </button>
                {t('oneOf', { index: Math.min(index, waiting.length - 1) + 1, count: waiting.length })}
                <button
                  type="button"
                  className="button bare icon"
                  aria-label={t('next')}
                  disabled={index >= waiting.length - 1}
                  onClick={() => setIndex(index + 1)}
                >
                  ›
                </button>
              </span>
            ) : null}
          </WaitingPart>
        </section>
      )}
    </>
  )
}

interface WaitingPartProps {
  readonly session: OpenSession
  readonly call: WaitingCall
  readonly children: React.ReactNode
}

function WaitingPart({ session, call, children }: WaitingPartProps) {
  switch (call.waitsFor) {
    case 'approval':
      return (
        <ApprovalCard session={session} call={call}>
          {children}
        </ApprovalCard>
      )
    case 'answer':
      return (
        <QuestionForm session={session} call={call}>
          {children}
        </QuestionForm>
      )
    case 'client':
      return (
        <ClientWait session={session} call={call}>
          {children}
        </ClientWait>
      )
  }
}

const NOTE_MS = 8_000

/** A card that closes because somebody else answered says so. */
function useAnsweredElsewhere(session: OpenSession, waiting: readonly WaitingCall[]): string | undefined {
  const { t } = useTranslation()
  const before = useRef<readonly WaitingCall[]>([])
  const [note, setNote] = useState<string>()
  useEffect(() => {
    const gone = before.current.find(
      ({ toolCallId }) => !waiting.some((call) => call.toolCallId === toolCallId) && !session.isOwnAnswer(toolCallId),
    )
    before.current = waiting
    if (gone === undefined) return
    const verdict = verdictOf(session, gone.toolCallId)
    setNote(t('answeredElsewhere', { tool: gone.title ?? gone.name, verdict: verdict === '' ? t('done') : verdict }))
    const timer = setTimeout(() => setNote(undefined), NOTE_MS)
    return () => clearTimeout(timer)
  }, [session, waiting, t])
  return note
}

function verdictOf({ fold }: OpenSession, toolCallId: string): string {
  const calls = fold.turns.flatMap(({ tool_calls }) => tool_calls)
  return resultText(calls.find(({ id }) => id === `ask_${toolCallId}`)?.result)
}
