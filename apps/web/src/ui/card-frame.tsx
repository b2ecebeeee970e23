import { useTranslation } from 'react-i18next'
import type { Card } from '../model/card.ts'
import { OutsideLink } from './outside-link.tsx'
import { spellBidi } from './spell-bidi.ts'
import './card-frame.css'

const USUAL_HEIGHT = 320
const TALLEST = 1_200

interface CardFrameProps {
  readonly sessionId: string
  readonly card: Card
}

/** What a tool shows to people. It runs in a frame that reaches nothing, neither this page nor the network. */
export function CardFrame({ sessionId, card }: CardFrameProps) {
  const { t } = useTranslation()
  const { callId, title, uri, height = USUAL_HEIGHT } = card
  const name = spellBidi(title ?? t('card'))
  return (
    <figure className="card-frame" data-card={callId}>
      <figcaption>{name}</figcaption>
      {uri === undefined ? (
        <iframe
          title={name}
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          loading="lazy"
          height={Math.min(height, TALLEST)}
          src={`/api/polylogue/sessions/${sessionId}/cards/${encodeURIComponent(callId)}`}
        />
      ) : (
        <p className="card-link">
          <OutsideLink href={uri}>{spellBidi(uri)}</OutsideLink>
        </p>
      )}
    </figure>
  )
}
