import { useState } from 'react'
import { useTranslation } from 'react-i18next'

const LONG_TEXT = 1_500
const LONG_LINES = 16

interface SaidProps {
  readonly text: string
  /** Whether a long message is shown whole at first. */
  readonly isOpen?: boolean
}

/** A long message is folded, so that the answer is in view. What is folded away is not in the page: its layout takes long. */
export function Said({ text, isOpen: isOpenFirst = false }: SaidProps) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(isOpenFirst)
  const start = startOf(text)
  const isFolded = !isOpen && start.length < text.length
  return (
    <>
      <div className={`said${isFolded ? ' is-folded' : ''}`}>{isFolded ? start : text}</div>
      {start.length < text.length ? (
        <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t('showLess') : t('showAll')}
        </button>
      ) : null}
    </>
  )
}

function startOf(text: string): string {
  let end = -1
  for (let line = 0; line < LONG_LINES; line++) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) break
  }
  return text.slice(0, Math.min(LONG_TEXT, end === -1 ? text.length : end))
}
