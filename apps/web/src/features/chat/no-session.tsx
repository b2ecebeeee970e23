import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { OpenSession, SessionHeadline } from '../../model/open-session.ts'

interface NoSessionProps {
  readonly session: OpenSession
  readonly head: SessionHeadline
}

/** In place of a session that is gone, or that could not be loaded. */
export function NoSession({ session, head: { phase, problem } }: NoSessionProps) {
  const { t } = useTranslation()
  return (
    <main className="page">
      <div className="page-inner">
        <h1>{phase === 'gone' ? t('sessionGone') : t('loadFailed')}</h1>
        <p className="quiet">{phase === 'gone' ? t('sessionGoneHint') : problem}</p>
        <p className="page-next">
          {phase === 'failed' ? (
            <button type="button" className="button" onClick={() => void session.load()}>
              {t('retry')}
            </button>
          ) : (
            <Link href="/" className="button">
              {t('newSession')}
            </Link>
          )}
        </p>
      </div>
    </main>
  )
}

export const isMissing = ({ phase }: SessionHeadline): boolean => phase === 'gone' || phase === 'failed'
