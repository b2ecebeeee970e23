import { Pencil, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { QueuedInput } from '@polylogue/client/console'
import './queue-strip.css'

interface QueueStripProps {
  readonly queued: readonly QueuedInput[]
  readonly onDrop: (input: QueuedInput) => void
  readonly onChange: (input: QueuedInput, text: string) => void
}

/** Messages that the server runs after this turn. They are reworded in their place. */
export function QueueStrip({ queued, onDrop, onChange }: QueueStripProps) {
  const { t } = useTranslation()
  const [edited, setEdited] = useState<string>()
  if (queued.length === 0) return null
  return (
    <ol className="queue" aria-label={t('queueTitle')}>
      {queued.map((item) => (
        <li key={item.inputId}>
          <span className="queue-mark">{t('queueTitle')}</span>
          {edited === item.inputId ? (
            <EditQueued
              item={item}
              onClose={() => setEdited(undefined)}
              onSave={(text) => {
                setEdited(undefined)
                if (text !== item.text) onChange(item, text)
              }}
            />
          ) : (
            <span className="truncate">{item.text}</span>
          )}
          <button
            type="button"
            className="button bare icon"
            aria-label={t('editQueued')}
            title={t('editQueued')}
            onClick={() => setEdited(item.inputId)}
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

interface EditQueuedProps {
  readonly item: QueuedInput
  readonly onSave: (text: string) => void
  readonly onClose: () => void
}

/** Enter keeps the new words, Esc the old ones. */
function EditQueued({ item, onSave, onClose }: EditQueuedProps) {
  const { t } = useTranslation()
  const [text, setText] = useState(item.text)
  const save = (): void => (text.trim() === '' ? onClose() : onSave(text.trim()))
  return (
    <textarea
      className="field queue-edit"
      aria-label={t('editQueued')}
      rows={Math.min(6, text.split('\n').length)}
      value={text}
      ref={(field) => field?.focus()}
      onChange={(event) => setText(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return
        if (event.key === 'Escape') {
          event.preventDefault()
          event.nativeEvent.stopPropagation()
          onClose()
        } else if (event.key === 'Enter' && !event.shiftKey) {
          event.preventDefault()
          save()
        }
      }}
    />
  )
}
