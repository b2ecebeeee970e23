import type { AttachedClient } from '@polylogue/client/console'
import { useTranslation } from 'react-i18next'
import { DoorTag } from '../../ui/door-tag.tsx'
import { SERVER_KEY } from '../../model/console-model.ts'
import { formatAge } from '../../ui/format.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'

/** Who reads the session now, and through which door. */
export function ClientStrip({ clients }: { readonly clients: readonly AttachedClient[] }) {
  const { t, i18n } = useTranslation()
  const model = useModel()
  const own = useSnapshot(SERVER_KEY, () => model.server)?.keyId
  return (
    <ul className="clients" aria-label={t('attachedNow')}>
      {clients.length === 0 ? <li className="quiet">{t('nobody')}</li> : null}
      {clients.map(({ door, client, key, since, lag }, index) => (
        <li key={`${door}${since}${index}`} data-door={door}>
          <DoorTag door={door} />
          {key !== undefined && key === own ? (
            <span className="truncate">{t('thisBrowser')}</span>
          ) : (
            <span className="truncate" translate="no">
              {client ?? key?.slice(0, 12) ?? ''}
            </span>
          )}
          {lag === undefined ? null : (
            <span className={lag === 0 ? 'quiet' : 'lags'} title={t('lagHint')}>
              {t('lag', { events: lag })}
            </span>
          )}
          <time className="quiet">{formatAge(new Date(since).toISOString(), i18n.language)}</time>
        </li>
      ))}
    </ul>
  )
}
