import type { TurnProjection } from '@polylogue/client/blade'
import { Pencil } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { headKey } from '../../model/open-session.ts'
import { textOf } from '../../model/said-again.ts'
import type { TurnSource } from '../../model/turn-source.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Attachments } from './attachments.tsx'
import { Said } from './said.tsx'
import { Speaker } from './speaker.tsx'

const EditSaid = lazy(async () => ({ default: (await import('./edit-said.tsx')).EditSaid }))

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
          <Suspense>
            <EditSaid session={session} turn={turn} onClose={() => setEditing(false)} />
          </Suspense>
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
