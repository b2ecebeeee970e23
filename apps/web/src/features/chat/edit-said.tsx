import type { TurnProjection } from '@polylogue/client/blade'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { saidAgain, textOf } from '../../model/said-again.ts'
import type { TurnSource } from '../../model/turn-source.ts'
import { Attachments } from './attachments.tsx'
import { useFork } from './use-fork.ts'

interface EditSaidProps {
  readonly session: TurnSource
  readonly turn: TurnProjection
  readonly onClose: () => void
}

/** Another wording goes into a fork that begins before the message. This session stays as it is. */
export function EditSaid({ session, turn, onClose }: EditSaidProps) {
  const { t } = useTranslation()
  const [text, setText] = useState(() => textOf(turn))
  const { fork, isBusy, problem } = useFork(session.id)
  const send = (): void => {
    if (text.trim() !== '') void fork(turn.id, () => saidAgain(turn, text.trim()))
  }
  return (
    <form
      className="edit-said"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        aria-label={t('editSaid')}
        value={text}
        ref={focusAtEnd}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || event.keyCode === 229) return
          if (event.key === 'Escape') {
            event.preventDefault()
            onClose()
          } else if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            send()
          }
        }}
      />
      <Attachments attachments={turn.attachments ?? []} />
      <div className="edit-bar">
        <p className="quiet">{t('editSaidHint')}</p>
        <button type="button" className="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button type="submit" className="button ink" disabled={isBusy || text.trim() === ''}>
          {t('send')}
        </button>
      </div>
      {problem === undefined ? null : (
        <p className="row-problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}

const seen = new WeakSet<HTMLElement>()
function focusAtEnd(field: HTMLTextAreaElement | null): void {
  if (field === null || seen.has(field)) return
  seen.add(field)
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
}
