import type { SessionStatus } from '@polylogue/client/blade'
import { useTranslation } from 'react-i18next'
import './status-dot.css'

/** The state of a session: a shape and a word, not a colour alone. */
export function StatusDot({ status }: { readonly status: SessionStatus }) {
  const { t } = useTranslation()
  const words = {
    created: t('statusIdle'),
    completed: t('statusIdle'),
    running: t('statusRunning'),
    waiting_for_input: t('statusWaiting'),
    failed: t('statusFailed'),
    interrupted: t('statusStopped'),
  }
  return (
    <span className={`dot ${status}`} role="img" aria-label={words[status]} title={words[status]}>
      {status === 'waiting_for_input' ? '!' : ''}
    </span>
  )
}
