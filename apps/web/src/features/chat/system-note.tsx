import type { TurnProjection } from '@polylogue/client/blade'
import { useTranslation } from 'react-i18next'

export function SystemNote({ turn }: { readonly turn: TurnProjection }) {
  const { t } = useTranslation()
  const said = turn.blocks.flatMap(({ type, content }) => {
    if (type === 'planning_enter') return [t('planModeOn')]
    if (type === 'planning_exit') return [t('planModeOff')]
    return (type === 'system_notification' || type === 'text') && typeof content === 'string' ? [content] : []
  })
  if (said.length === 0) return <div className="row-gap" />
  return (
    <div className={`note${turn.status === 'failed' ? ' bad' : ''}`} role="note">
      <span>{said.join(' ')}</span>
    </div>
  )
}
