import type { SessionRecord } from '@polylogue/client/console'
import { GitFork } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import { LIST_KEY } from '../../model/session-list.ts'
import { Menu } from '../../ui/lazy-menu.tsx'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'

/** The session that this one was forked from, and those that were forked from it. */
export function Relatives({ record }: { readonly record: SessionRecord['session'] | undefined }) {
  const { t } = useTranslation()
  const { list } = useModel()
  const [, navigate] = useLocation()
  // Titles change with the list.
  useSnapshot(LIST_KEY, () => list.sessions)
  const titleOf = (id: string): string => {
    const intent = list.find(id)?.intent.split('\n', 1)[0] ?? ''
    return intent === '' ? t('untitled') : intent
  }
  const forks = record?.forks ?? []
  return (
    <>
      {record?.parent === undefined ? null : (
        <Link href={`/s/${record.parent.sessionId}`} className="relative" title={t('forkedFromHint')}>
          <GitFork size={13} aria-hidden />
          <span className="truncate">{t('forkedFrom', { title: titleOf(record.parent.sessionId) })}</span>
        </Link>
      )}
      {forks.length === 0 ? null : (
        <Menu
          align="start"
          trigger={
            <button type="button" className="relative">
              <GitFork size={13} aria-hidden /> {t('forks', { count: forks.length })}
            </button>
          }
          entries={forks.map(({ sessionId }) => ({
            key: sessionId,
            label: titleOf(sessionId),
            onSelect: () => navigate(`/s/${sessionId}`),
          }))}
        />
      )}
    </>
  )
}
