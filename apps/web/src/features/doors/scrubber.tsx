import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import './scrubber.css'

interface ScrubberProps {
  readonly seq: number
  readonly last: number
  readonly onChange: (seq: number) => void
}

/** A place in the log, by slider, by buttons or by number. */
export function Scrubber({ seq, last, onChange }: ScrubberProps) {
  const { t } = useTranslation()
  const go = (next: number): void => onChange(Math.min(Math.max(1, next), Math.max(1, last)))
  return (
    <div className="scrubber" role="group" aria-label={t('position')}>
      <button type="button" className="button bare icon" aria-label={t('first')} onClick={() => go(1)}>
        <ChevronFirst size={16} aria-hidden />
      </button>
      <button type="button" className="button bare icon" aria-label={t('previous')} onClick={() => go(seq - 1)}>
        <ChevronLeft size={16} aria-hidden />
      </button>
      <input
        type="range"
        min={1}
        max={Math.max(1, last)}
        value={seq}
        aria-label={t('position')}
        onChange={(event) => go(Number(event.target.value))}
      />
      <input
        type="number"
        className="field"
        min={1}
        max={Math.max(1, last)}
        value={seq}
        aria-label={t('seq')}
        onChange={(event) => go(Number(event.target.value))}
      />
      <span className="quiet">/ {last}</span>
      <button type="button" className="button bare icon" aria-label={t('next')} onClick={() => go(seq + 1)}>
        <ChevronRight size={16} aria-hidden />
      </button>
      <button type="button" className="button bare icon" aria-label={t('last')} onClick={() => go(last)}>
        <ChevronLast size={16} aria-hidden />
      </button>
    </div>
  )
}
