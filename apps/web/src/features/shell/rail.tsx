import {
  CalendarClock,
  ChartColumn,
  Inbox,
  PanelLeftClose,
  PanelLeftOpen,
  Plug,
  Plus,
  Search,
  Settings,
  SlidersHorizontal,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useRoute } from 'wouter'
import { LIST_KEY, type ListedSession } from '../../model/session-list.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { groupSessions } from './group-sessions.ts'
import { SessionRow } from './session-row.tsx'
import './rail.css'

interface RailProps {
  /** Only where the rail is narrow or hidden. */
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly onLeave: () => void
}

export function Rail({ isOpen, onOpen, onLeave }: RailProps) {
  const { t } = useTranslation()
  const { list } = useModel()
  const sessions = useSnapshot(LIST_KEY, () => list.sessions)
  const waiting = sessions.filter(({ status }) => status === 'waiting_for_input').length
  return (
    <nav className="rail" aria-label={t('sessions')}>
      <header className="rail-brand">
        <Link href="/" onClick={onLeave}>
          <img src="/icon.svg" alt="" width="22" height="22" />
          <span>polylogue</span>
        </Link>
        <button
          type="button"
          className="button bare icon rail-close"
          aria-label={isOpen ? t('close') : t('menu')}
          aria-expanded={isOpen}
          onClick={isOpen ? onLeave : onOpen}
        >
          {isOpen ? <PanelLeftClose size={16} aria-hidden /> : <PanelLeftOpen size={16} aria-hidden />}
        </button>
      </header>
      <ul className="rail-links">
        <RailLink href="/" icon={<Plus size={16} aria-hidden />} label={t('newSession')} hint="n" onLeave={onLeave} />
        <RailLink
          href="/inbox"
          icon={<Inbox size={16} aria-hidden />}
          label={t('inbox')}
          count={waiting}
          onLeave={onLeave}
        />
        <RailLink
          href="/sessions"
          icon={<Search size={16} aria-hidden />}
          label={t('search')}
          hint="/"
          onLeave={onLeave}
        />
      </ul>
      <SessionGroups sessions={sessions} onLeave={onLeave} />
      <ul className="rail-links rail-foot">
        <RailLink href="/usage" icon={<ChartColumn size={16} aria-hidden />} label={t('usage')} onLeave={onLeave} />
        <RailLink
          href="/schedules"
          icon={<CalendarClock size={16} aria-hidden />}
          label={t('schedules')}
          onLeave={onLeave}
        />
        <RailLink
          href="/manage"
          icon={<SlidersHorizontal size={16} aria-hidden />}
          label={t('manage')}
          onLeave={onLeave}
        />
        <RailLink href="/connect" icon={<Plug size={16} aria-hidden />} label={t('connect')} onLeave={onLeave} />
        <RailLink href="/settings" icon={<Settings size={16} aria-hidden />} label={t('settings')} onLeave={onLeave} />
      </ul>
    </nav>
  )
}

interface RailLinkProps {
  readonly href: string
  readonly icon: React.ReactNode
  readonly label: string
  readonly hint?: string
  readonly count?: number
  readonly onLeave: () => void
}

function RailLink({ href, icon, label, hint, count = 0, onLeave }: RailLinkProps) {
  const [location] = useLocation()
  return (
    <li>
      <Link
        href={href}
        className="rail-link"
        aria-current={sectionOf(location) === sectionOf(href) ? 'page' : undefined}
        title={label}
        onClick={onLeave}
      >
        {icon}
        <span className="truncate">{label}</span>
        {count > 0 ? <span className="rail-count">{count}</span> : null}
        {hint === undefined ? null : <kbd className="key">{hint}</kbd>}
      </Link>
    </li>
  )
}

/** The first part of an address, such as `manage` of `/manage/rules`. */
const sectionOf = (path: string): string => path.split('/')[1] ?? ''

function SessionGroups({
  sessions,
  onLeave,
}: {
  readonly sessions: readonly ListedSession[]
  readonly onLeave: () => void
}) {
  const { t } = useTranslation()
  const { list } = useModel()
  const [, params] = useRoute<{ id: string }>('/s/:id/*?')
  if (list.isLoaded && sessions.length === 0) return <p className="rail-sessions rail-empty quiet">{t('noSessions')}</p>
  return (
    <div className="rail-sessions">
      {groupSessions(sessions).map(({ name, sessions: some }) => (
        <section key={name} aria-label={t(name)}>
          <h2 className="rail-group">{t(name)}</h2>
          <ul>
            {some.map((session) => (
              <SessionRow key={session.id} session={session} isOpen={params?.id === session.id} onLeave={onLeave} />
            ))}
          </ul>
        </section>
      ))}
      {list.hasMore ? (
        <button type="button" className="button bare rail-more" onClick={() => void list.loadMore()}>
          {t('loadMore')}
        </button>
      ) : null}
    </div>
  )
}
