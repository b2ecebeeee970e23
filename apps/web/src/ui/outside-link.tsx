import { useState, type ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from './dialog.tsx'

const SAFE_LINK = /^(?:https?:|mailto:)/i

/** A link that somebody else wrote: it shows where it leads before it opens. */
export function OutsideLink({ href, children }: ComponentProps<'a'>) {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  if (href === undefined || !SAFE_LINK.test(href)) return <>{children}</>
  return (
    <>
      <a
        href={href}
        target="_blank"
        rel="noopener noreferrer"
        onClick={(event) => {
          event.preventDefault()
          setAsking(true)
        }}
      >
        {children}
      </a>
      {isAsking ? (
        <Dialog title={t('openLinkTitle')} onClose={() => setAsking(false)}>
          <p className="quiet">{t('openLinkHint')}</p>
          <pre className="whole-url">{href}</pre>
          <div className="actions">
            <button type="button" className="button" onClick={() => setAsking(false)}>
              {t('cancel')}
            </button>
            <a
              className="button ink"
              href={href}
              target="_blank"
              rel="noopener noreferrer"
              onClick={() => setAsking(false)}
            >
              {t('open')}
            </a>
          </div>
        </Dialog>
      ) : null}
    </>
  )
}
