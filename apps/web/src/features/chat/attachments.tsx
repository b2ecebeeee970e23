import type { Attachment } from '@polylogue/client/blade'
import { Paperclip } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useModel } from '../../ui/model-context.tsx'
import './attachments.css'

/** Images of our own server are shown, and open whole; its files are downloaded. Addresses of other servers are not fetched. */
export function Attachments({ attachments }: { readonly attachments: readonly Attachment[] }) {
  const { t } = useTranslation()
  // The cookie of a frame is for that frame alone.
  const { isEmbedded } = useModel()
  if (attachments.length === 0) return null
  return (
    <ul className="attachments" aria-label={t('attached')}>
      {attachments.map(({ type, name, url }, index) => {
        const own = url?.startsWith('/') === true ? url : undefined
        const link = isEmbedded ? undefined : own
        return (
          <li key={`${index}${url ?? ''}`}>
            {type === 'image' && own !== undefined ? (
              <a href={link} target="_blank" rel="noopener">
                <img src={own} alt={name ?? t('attached')} loading="lazy" />
              </a>
            ) : (
              <a className="attachment" href={link} download>
                <Paperclip size={14} aria-hidden /> {name ?? url ?? type}
              </a>
            )}
          </li>
        )
      })}
    </ul>
  )
}
