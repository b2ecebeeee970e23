import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'

const SHOWN_MS = 1_500

interface CopyButtonProps {
  readonly text: string
  readonly label?: string
  /** Shown beside the icon. */
  readonly words?: string
}

export function CopyButton({ text, label, words }: CopyButtonProps) {
  const { t } = useTranslation()
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  const name = isCopied ? t('copied') : (label ?? t('copy'))
  return (
    <button
      type="button"
      className={words === undefined ? 'copy' : 'copy has-words'}
      aria-label={name}
      title={name}
      onClick={() => void copy()}
    >
      {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      {words}
    </button>
  )
}
