import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { OutlineSections, type OutlineSectionsProps } from './outline-sections.tsx'

interface SessionPanelProps extends OutlineSectionsProps {
  readonly onClose: () => void
}

/** Beside the chat, and over it where there is no room: the plan, the sub-agents and the card. */
export function SessionPanel({ session, outline, onClose }: SessionPanelProps) {
  const { t } = useTranslation()
  return (
    <aside className="panel" aria-label={t('panel')}>
      <button type="button" className="button bare icon panel-close" aria-label={t('close')} onClick={onClose}>
        <X size={16} aria-hidden />
      </button>
      <OutlineSections session={session} outline={outline} />
    </aside>
  )
}
