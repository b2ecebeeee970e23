import type { TurnProjection } from '@polylogue/client/blade'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { headKey } from '../../model/open-session.ts'
import { saidAgain, textOf } from '../../model/said-again.ts'
import type { TurnSource } from '../../model/turn-source.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Attachments } from './attachments.tsx'
import { Said } from './said.tsx'
import { Speaker } from './speaker.tsx'
import { useFork } from './use-fork.ts'

interface UserRowProps {
  readonly session: TurnSource
  readonly turn: TurnProjection
  readonly isTarget?: boolean
}

export function UserRow({ session, turn, isTarget = false }: UserRowProps) {
  const { t } = useTranslation()
  const { isEmbedded } = useModel()
  const [isEditing, setEditing] = useState(false)
  const text = textOf(turn)
  const owner = useOwner(session.id)
  return (
    <article className="row user-row" data-turn={turn.turn_id} data-target={isTarget || undefined}>
      <Speaker name={owner ?? t('you')} />
      <div className="row-body">
        {isEditing ? (
          <EditSaid session={session} turn={turn} onClose={() => setEditing(false)} />
        ) : (
          <>
            <Said text={text} isOpen={isTarget} />
            <Attachments attachments={turn.attachments ?? []} />
            <p className="row-foot">
              <CopyButton text={text} label={t('copyMessage')} />
              {session.mayChange && !isEmbedded ? (
                <button
                  type="button"
                  className="copy"
                  aria-label={t('editSaid')}
                  title={t('editSaidHint')}
                  onClick={() => setEditing(true)}
                >
                  <Pencil size={14} aria-hidden />
                </button>
              ) : null}
            </p>
          </>
        )}
      </div>
    </article>
  )
}

/** Who says it in a session that somebody else shares. */
function useOwner(sessionId: string): string | undefined {
  const model = useModel()
  return useSnapshot(headKey(sessionId), () => {
    const { detail } = model.session(sessionId).head
    return detail === undefined || detail.viewer_role === 'owner' ? undefined : detail.user_id
  })
}

interface EditSaidProps extends UserRowProps {
  readonly onClose: () => void
}

/** Another wording goes into a fork that begins before the message. This session stays as it is. */
function EditSaid({ session, turn, onClose }: EditSaidProps) {
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
