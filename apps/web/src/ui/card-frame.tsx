import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Card } from '../model/card.ts'
import { useModel } from './model-context.tsx'
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
  const url = useCardUrl(sessionId, uri === undefined ? callId : undefined)
  return (
    <figure className="card-frame" data-card={callId}>
      <figcaption>{name}</figcaption>
      {uri === undefined ? (
        <iframe
          title={name}
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          height={Math.min(height, TALLEST)}
          src={url}
        />
      ) : (
        <p className="card-link">
          <OutsideLink href={uri}>{spellBidi(uri)}</OutsideLink>
        </p>
      )}
    </figure>
  )
}

/** The address of a card works once, so each frame asks for its own. */
function useCardUrl(sessionId: string, callId: string | undefined): string | undefined {
  const model = useModel()
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (callId === undefined) return
    let isCurrent = true
    const open = async (): Promise<void> => {
      const opened = await (await model.api()).openCard({ id: sessionId, call: callId, body: {} })
      if (isCurrent) setUrl(opened.url)
    }
    // Without an address the frame stays empty, below its title.
    open().catch(() => undefined)
    return () => void (isCurrent = false)
  }, [model, sessionId, callId])
  return url
}
