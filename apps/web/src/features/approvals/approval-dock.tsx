import type { WaitingCall } from '@polylogue/client/console'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OpenSession } from '../../model/open-session.ts'
import { spellOutLine } from '../../model/console-contract.ts'
import { doorName } from '../../ui/door-tag.tsx'
import { useModel } from '../../ui/model-context.tsx'
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

/** A card that closes because somebody else answered says how, and through which door. */
function useAnsweredElsewhere(session: OpenSession, waiting: readonly WaitingCall[]): string | undefined {
  const { t } = useTranslation()
  const model = useModel()
  const before = useRef<readonly WaitingCall[]>([])
  const [note, setNote] = useState<string>()
  useEffect(() => {
    const gone = before.current.find(
      ({ toolCallId }) => !waiting.some((call) => call.toolCallId === toolCallId) && !session.isOwnAnswer(toolCallId),
    )
    before.current = waiting
    if (gone === undefined) return
    const tell = async (): Promise<void> => {
      const api = await model.api()
      const { resolved, settled } = await api.readCall({ id: session.id, call: gone.toolCallId })
      const verdict = resolved === undefined ? t('done') : resolved.granted ? t('allowed') : t('denied')
      const via = resolved?.via ?? settled?.via
      const tool = spellOutLine(gone.title ?? gone.name)
      setNote(
        via === undefined
          ? t('answeredElsewhere', { tool, verdict })
          : t('answeredThrough', { tool, verdict, door: doorName(via) }),
      )
    }
    void tell().catch(() => undefined)
  }, [session, waiting, model, t])
  useEffect(() => {
    if (note === undefined) return
    const timer = setTimeout(() => setNote(undefined), NOTE_MS)
    return () => clearTimeout(timer)
  }, [note])
  return note
}
