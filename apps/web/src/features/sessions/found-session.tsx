import type { Hit } from '@polylogue/client/console'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { LIST_KEY } from '../../model/session-list.ts'
import { DoorTag } from '../../ui/door-tag.tsx'
import { formatAge } from '../../ui/format.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { StatusDot } from '../../ui/status-dot.tsx'

/** A session, and the words in it that were looked for. It opens where they were said. */
export function FoundSession({ hit: { session, place } }: { readonly hit: Hit }) {
  const { t, i18n } = useTranslation()
  const { sessionId, title = '', status, agent, updatedAt, via } = session
  const { list } = useModel()
  // It says more than the search: whether a turn failed or was stopped.
  const listed = useSnapshot(LIST_KEY, () => list.find(sessionId))
  const at = new Date(updatedAt).toISOString()
  const anchor = place?.entryId === undefined ? '' : `#${place.entryId}`
  return (
    <li>
      <Link href={`/s/${sessionId}${anchor}`} className="found-row">
        <StatusDot status={listed?.status ?? STATUS[status]} />
        <span className="found-text">
          <span className="found-title truncate">
            {title === '' ? t('untitled') : spellBidi(title.split('\n', 1)[0] ?? '')}
          </span>
          {place === undefined ? null : (
            <span className="found-place">
              {place.speaker === 'user' ? t('you') : t('agent')}: {spellBidi(place.before)}
              <mark>{spellBidi(place.match)}</mark>
              {spellBidi(place.after)}
            </span>
          )}
        </span>
        {via === undefined ? null : <DoorTag door={via} />}
        <span className="quiet found-agent">{agent}</span>
        <time dateTime={at} className="session-age">
          {formatAge(at, i18n.language)}
        </time>
      </Link>
    </li>
  )
}

const STATUS = { idle: 'completed', running: 'running', waiting: 'waiting_for_input' } as const
