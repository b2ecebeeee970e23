import { Pencil, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { QueuedInput } from '@polylogue/console/client'
import './queue-strip.css'

interface QueueStripProps {
  readonly queued: readonly QueuedInput[]
  readonly onDrop: (input: QueuedInput) => void
  readonly onEdit: (input: QueuedInput) => void
}

/** Messages that the server runs after this turn. */
export function QueueStrip({ queued, onDrop, onEdit }: QueueStripProps) {
  const { t } = useTranslation()
  if (queued.length === 0) return null
  return (
    <ol className="queue" aria-label={t('queueTitle')}>
      {queued.map((item) => (
        <li key={item.inputId}>
          <span className="queue-mark">{t('queueTitle')}</span>
          <span className="truncate">{item.text}</span>
          <button
            type="button"
            className="button bare icon"
            aria-label={t('editQueued')}
            title={t('editQueued')}
            onClick={() => onEdit(item)}
          >
            <Pencil size={14} aria-hidden />
          </button>
          <button
            type="button"
            className="button bare icon"
            aria-label={t('dropQueued')}
            title={t('dropQueued')}
            onClick={() => onDrop(item)}
          >
            <X size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ol>
  )
}
