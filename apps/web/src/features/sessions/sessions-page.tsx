import type { Session } from '@polylogue/blade/client'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'wouter'
import { agentOf, listSessions } from '../../model/blade-rest.ts'
import { LIST_KEY } from '../../model/session-list.ts'
import { formatAge } from '../../ui/format.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { StatusDot } from '../../ui/status-dot.tsx'
import './sessions.css'

const PAUSE_MS = 150
const PAGE = 50
const STATUSES = ['waiting_for_input', 'running', 'completed', 'failed', 'interrupted'] as const

/** All sessions, by title and by what was said in them. The address holds the search. */
export function SessionsPage() {
  const { t } = useTranslation()
  const { list } = useModel()
  const sessions = useSnapshot(LIST_KEY, () => list.sessions)
  const [params, setParams] = useSearchParams()
  const q = params.get('q') ?? ''
  const status = params.get('status') ?? ''
  const found = useFound(q, sessions)
  const shown = found?.items.filter((session) => status === '' || session.status === status)
  const change = (name: string, value: string): void =>
    setParams(
      (before) => {
        if (value === '') before.delete(name)
        else before.set(name, value)
        return before
      },
      { replace: true },
    )
  const words = {
    waiting_for_input: t('statusWaiting'),
    running: t('statusRunning'),
    completed: t('statusIdle'),
    failed: t('statusFailed'),
    interrupted: t('statusStopped'),
  }
  return (
    <main className="page">
      <div className="page-inner">
        <h1>{t('sessions')}</h1>
        <p className="quiet">{t('searchHint')}</p>
        <div className="search-bar">
          <input
            type="search"
            className="field"
            ref={focusOnce}
            placeholder={t('searchPlaceholder')}
            aria-label={t('searchPlaceholder')}
            defaultValue={q}
            onChange={(event) => change('q', event.target.value.trim())}
          />
          <select
            className="field search-status"
            aria-label={t('status')}
            value={status}
            onChange={(event) => change('status', event.target.value)}
          >
            <option value="">{t('anyStatus')}</option>
            {STATUSES.map((name) => (
              <option key={name} value={name}>
                {words[name]}
              </option>
            ))}
          </select>
        </div>
        {found === undefined ? null : (
          <p className="quiet search-count" role="status">
            {t('matches', { count: q === '' ? found.total : (shown?.length ?? 0) })}
          </p>
        )}
        {shown?.length === 0 ? <p className="empty">{t('searchNone')}</p> : null}
        <ul className="found">
          {shown?.map((session) => (
            <FoundSession key={session.id} session={session} />
          ))}
        </ul>
      </div>
    </main>
  )
}

const seen = new WeakSet<HTMLElement>()
function focusOnce(field: HTMLElement | null): void {
  if (field === null || seen.has(field)) return
  seen.add(field)
  field.focus()
}

interface Found {
  readonly items: readonly Session[]
  readonly total: number
}

/** Searches again when the query or the list changes. */
function useFound(q: string, sessions: readonly Session[]): Found | undefined {
  const [found, setFound] = useState<Found>()
  useEffect(() => {
    let isCurrent = true
    const search = async (): Promise<void> => {
      const answer = await listSessions({ limit: PAGE, offset: 0, ...(q !== '' && { q }) })
      if (isCurrent) setFound(answer)
    }
    const timer = setTimeout(() => void search().catch(() => undefined), PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [q, sessions])
  return found
}

function FoundSession({ session }: { readonly session: Session }) {
  const { t, i18n } = useTranslation()
  const { id, intent, status, updated_at, is_pinned } = session
  return (
    <li>
      <Link href={`/s/${id}`} className="found-row">
        <StatusDot status={status} />
        <span className="truncate found-title">{intent === '' ? t('untitled') : spellBidi(intent)}</span>
        {is_pinned ? <span className="tag plain">{t('pinned')}</span> : null}
        <span className="quiet found-agent">{agentOf(session)}</span>
        <time dateTime={updated_at} className="session-age">
          {formatAge(updated_at, i18n.language)}
        </time>
      </Link>
    </li>
  )
}
