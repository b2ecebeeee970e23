import { Columns3, Ellipsis } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import { deleteSession, pinSession, shareSession } from '../../model/blade-rest.ts'
import type { OpenSession, SessionHeadline } from '../../model/open-session.ts'
import { formatPercent } from '../../ui/format.ts'
import { Menu } from '../../ui/lazy-menu.tsx'
import { useModel } from '../../ui/model-context.tsx'
import { PanelToggle } from '../panel/panel-toggle.tsx'
import type { PanelState } from '../panel/use-panel.ts'
import { Relatives } from './relatives.tsx'
import { Spent } from './spent.tsx'

const loadDialogs = () => import('./session-dialogs.tsx')
const RenameDialog = lazy(async () => ({ default: (await loadDialogs()).RenameDialog }))
const ConfirmDelete = lazy(async () => ({ default: (await loadDialogs()).ConfirmDelete }))

interface ChatHeaderProps {
  readonly session: OpenSession
  readonly head: SessionHeadline
}

interface WithPanel extends ChatHeaderProps {
  readonly panel: PanelState
}

export function ChatHeader({ session, head, panel }: WithPanel) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const [dialog, setDialog] = useState<'rename' | 'delete'>()
  const { detail } = head
  const title = detail === undefined || detail.intent === '' ? t('untitled') : (detail.intent.split('\n', 1)[0] ?? '')
  const { isEmbedded } = useModel()
  const isOwner = detail?.viewer_role === 'owner' && !isEmbedded
  return (
    <header className="chat-header">
      <h1 className="truncate" title={detail?.intent}>
        {title}
      </h1>
      {isEmbedded ? null : <Relatives record={head.record} />}
      <span className="grow" />
      <Spent spent={head.spent} />
      <ContextMeter session={session} head={head} />
      <PanelToggle panel={panel} />
      {isOwner ? (
        <Link href={`/s/${session.id}/doors`} className="button" title={t('doorsHint')}>
          <Columns3 size={14} aria-hidden /> {t('doorsTitle')}
        </Link>
      ) : null}
      {detail !== undefined && isOwner ? (
        <Menu
          trigger={
            <button type="button" className="button bare icon" aria-label={t('more')}>
              <Ellipsis size={18} aria-hidden />
            </button>
          }
          entries={[
            { label: t('rename'), onSelect: () => setDialog('rename') },
            {
              label: detail.is_pinned ? t('unpin') : t('pin'),
              onSelect: () => void pinSession(session.id, !detail.is_pinned),
            },
            {
              label: detail.shared ? t('unshare') : t('share'),
              onSelect: () => void shareSession(session.id, !detail.shared),
            },
            { label: t('delete'), isBad: true, onSelect: () => setDialog('delete') },
          ]}
        />
      ) : null}
      <Suspense>
        {dialog === 'rename' && detail !== undefined ? (
          <RenameDialog id={session.id} title={detail.intent} onClose={() => setDialog(undefined)} />
        ) : null}
        {dialog === 'delete' ? (
          <ConfirmDelete
            onClose={() => setDialog(undefined)}
            onConfirm={() => {
              navigate('/')
              void deleteSession(session.id)
            }}
          />
        ) : null}
      </Suspense>
    </header>
  )
}

/** How much of the model's window the last step used. */
function ContextMeter({ session, head }: ChatHeaderProps) {
  const { t, i18n } = useTranslation()
  const last = head.rows
    .map((id) => session.fold.turn(id))
    .findLast((turn) => turn?.role === 'assistant' && turn.usage !== null)
  const window = last?.context_window ?? 0
  if (last === undefined || last.usage === null || window === 0) return null
  const ratio = Math.min(1, (last.usage.input_tokens + last.usage.output_tokens) / window)
  const percent = formatPercent(ratio, i18n.language)
  return (
    <span className="meter" title={t('contextUsed', { percent })}>
      {t('context')} <meter value={ratio} max={1} high={0.8} aria-label={t('contextUsed', { percent })} /> {percent}
    </span>
  )
}
