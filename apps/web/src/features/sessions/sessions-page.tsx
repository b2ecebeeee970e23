import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'wouter'
import { SERVER_KEY } from '../../model/console-model.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { FoundSession } from './found-session.tsx'
import { useFound } from './use-found.ts'
import './sessions.css'

const DOORS = { blade: 'Blade', acp: 'ACP', 'aap/v3': 'AAP v3', 'aap/v1': 'AAP v1', console: 'Console' } as const

/** All sessions, by title and by what was said in them. The address holds the search. */
export function SessionsPage() {
  const { t } = useTranslation()
  const model = useModel()
  const server = useSnapshot(SERVER_KEY, () => model.server)
  const [params, setParams] = useSearchParams()
  const asked = {
    q: params.get('q') ?? '',
    status: params.get('status') ?? '',
    agent: params.get('agent') ?? '',
    via: params.get('door') ?? '',
  }
  const { hits, total, problem, hasMore, more } = useFound(asked)
  const change = (name: string, value: string): void =>
    setParams(
      (before) => {
        if (value === '') before.delete(name)
        else before.set(name, value)
        return before
      },
      { replace: true },
    )
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
            defaultValue={asked.q}
            onChange={(event) => change('q', event.target.value.trim())}
          />
          <Filter
            label={t('status')}
            any={t('anyStatus')}
            value={asked.status}
            values={{ waiting: t('statusWaiting'), running: t('statusRunning'), idle: t('statusIdle') }}
            onChange={(value) => change('status', value)}
          />
          <Filter
            label={t('door')}
            any={t('anyDoor')}
            value={asked.via}
            values={DOORS}
            onChange={(value) => change('door', value)}
          />
          <Filter
            label={t('agentWord')}
            any={t('anyAgent')}
            value={asked.agent}
            values={Object.fromEntries((server?.agents ?? []).map(({ id, name }) => [id, name]))}
            onChange={(value) => change('agent', value)}
          />
        </div>
        {problem === undefined ? null : (
          <p className="row-problem" role="alert">
            {problem}
          </p>
        )}
        {hits === undefined ? null : (
          <p className="quiet search-count" role="status">
            {t('matches', { count: total ?? hits.length })}
          </p>
        )}
        {hits?.length === 0 ? <p className="empty">{t('searchNone')}</p> : null}
        <ul className="found">
          {hits?.map((hit) => (
            <FoundSession key={hit.session.sessionId} hit={hit} />
          ))}
        </ul>
        {hasMore ? (
          <button type="button" className="button" onClick={more}>
            {t('loadMore')}
          </button>
        ) : null}
      </div>
    </main>
  )
}

interface FilterProps {
  readonly label: string
  readonly any: string
  readonly value: string
  readonly values: { readonly [value: string]: string }
  readonly onChange: (value: string) => void
}

function Filter({ label, any, value, values, onChange }: FilterProps) {
  return (
    <select
      className="field search-filter"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{any}</option>
      {Object.entries(values).map(([key, text]) => (
        <option key={key} value={key}>
          {text}
        </option>
      ))}
    </select>
  )
}

const seen = new WeakSet<HTMLElement>()
function focusOnce(field: HTMLElement | null): void {
  if (field === null || seen.has(field)) return
  seen.add(field)
  field.focus()
}
