import type { Attachment } from '@polylogue/client/blade'
import { Paperclip } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import './attachments.css'

/** Images of our own server are shown. Addresses of other servers are not fetched. */
export function Attachments({ attachments }: { readonly attachments: readonly Attachment[] }) {
  const { t } = useTranslation()
  if (attachments.length === 0) return null
  return (
    <ul className="attachments" aria-label={t('attached')}>
      {attachments.map(({ type, name, url }, index) => (
        <li key={`${index}${url ?? ''}`}>
          {type === 'image' && url?.startsWith('/') === true ? (
            <img src={url} alt={name ?? t('attached')} loading="lazy" />
          ) : (
            <span className="attachment">
              <Paperclip size={14} aria-hidden /> {name ?? url ?? type}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
