import type { UsageReport } from '@polylogue/client/console'
import { useTranslation } from 'react-i18next'
import { formatCost } from '../../ui/format-cost.ts'

/** What a session cost so far, or until an event. */
export function Spent({ spent }: { readonly spent: UsageReport | undefined }) {
  const { t, i18n } = useTranslation()
  if (spent?.total === undefined || Object.keys(spent.total.cost).length === 0) return null
  return (
    <span className="meter" title={t('cost')}>
      {formatCost(spent.total, i18n.language)}
    </span>
  )
}
