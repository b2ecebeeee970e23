import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { ListedSession } from '../../model/session-list.ts'
import { formatAge } from '../../ui/format.ts'
import { DoorLetter } from '../../ui/door-tag.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

interface SessionRowProps {
  readonly session: ListedSession
  readonly isOpen: boolean
  readonly onLeave: () => void
}

export function SessionRow({ session, isOpen, onLeave }: SessionRowProps) {
  const { t, i18n } = useTranslation()
  const { id, intent, status, updated_at, via } = session
  const title = intent === '' ? t('untitled') : intent
  return (
    <li>
      <Link
        href={`/s/${id}`}
        className="rail-link session-row"
        aria-current={isOpen ? 'page' : undefined}
        title={title}
        onClick={onLeave}
      >
        <StatusDot status={status} />
        <span className="truncate">{title.split('\n', 1)[0]}</span>
        {via === undefined ? null : <DoorLetter door={via} />}
        <time className="session-age" dateTime={updated_at}>
          {formatAge(updated_at, i18n.language)}
        </time>
      </Link>
    </li>
  )
}
