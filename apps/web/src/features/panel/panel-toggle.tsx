import { PanelRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { PanelState } from './use-panel.ts'

export function PanelToggle({ panel: { hasPanel, isOpen, toggle } }: { readonly panel: PanelState }) {
  const { t } = useTranslation()
  if (!hasPanel) return null
  return (
    <button
      type="button"
      className="button bare icon"
      aria-label={t('panel')}
      title={t('panel')}
      aria-expanded={isOpen}
      onClick={toggle}
    >
      <PanelRight size={16} aria-hidden />
    </button>
  )
}
