import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { OpenSession } from '../../model/open-session.ts'
import { outlineKey } from '../../model/open-session.ts'
import { useSnapshot } from '../../ui/model-context.tsx'
import { OutlineSections } from './outline-sections.tsx'

interface SessionPanelProps {
  readonly session: OpenSession
  readonly onClose: () => void
}

/** Beside the chat: the plan and the sub-agents as they are now. */
export function SessionPanel({ session, onClose }: SessionPanelProps) {
  const { t } = useTranslation()
  const outline = useSnapshot(outlineKey(session.id), () => session.outline)
  return (
    <aside className="panel" aria-label={t('panel')}>
      <button type="button" className="button bare icon panel-close" aria-label={t('close')} onClick={onClose}>
        <X size={16} aria-hidden />
      </button>
      <OutlineSections session={session} outline={outline} />
    </aside>
  )
}
