import type { TurnProjection } from '@polylogue/client/blade'
import { useTranslation } from 'react-i18next'
import { formatCount } from '../../ui/format.ts'

export function CompactionMark({ turn }: { readonly turn: TurnProjection }) {
  const { t, i18n } = useTranslation()
  const { tokens_before: before, tokens_after: after, summary_full: summary } = turn
  const label =
    typeof before !== 'number' || typeof after !== 'number'
      ? t('compacted')
      : t('compactedSaved', {
          before: formatCount(before, i18n.language),
          after: formatCount(after, i18n.language),
        })
  return (
    <div className="note" data-turn={turn.turn_id}>
      {(summary ?? '') === '' ? (
        <span>{label}</span>
      ) : (
        <details className="compaction">
          <summary>{label}</summary>
          <p>{summary}</p>
        </details>
      )}
    </div>
  )
}
