import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { spellBidi } from '../../ui/spell-bidi.ts'
import './thinking.css'

/** More than fits on a line, which is cut where it ends. */
const START = 200

/** Open while it comes, unless the reader folded it. Afterwards it is folded, unless the reader opened it. */
export function Thinking({ text, isStreaming }: { readonly text: string; readonly isStreaming: boolean }) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<boolean>()
  const isOpen = chosen ?? isStreaming
  return (
    <div className="thinking">
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
        <ChevronRight size={14} aria-hidden className="fold-mark" />
        {isStreaming ? t('thinking') : t('thought')}
        {isOpen ? null : <span className="thinking-start">{spellBidi(text.slice(0, START).replace(/\s+/g, ' '))}</span>}
      </button>
      {isOpen ? <div className="thinking-text">{spellBidi(text)}</div> : null}
    </div>
  )
}
