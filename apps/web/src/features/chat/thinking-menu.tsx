import { Brain, ChevronDown } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Menu } from '../../ui/lazy-menu.tsx'

interface ThinkingMenuProps {
  /** Of the model, the least first. */
  readonly levels: readonly string[]
  /** Absent: as much as the model thinks by default. */
  readonly level: string | undefined
  readonly onPick: (level: string | undefined) => void
  readonly side?: 'top'
}

/** How much the model thinks. Levels are names of the providers, so they are not translated. */
export function ThinkingMenu({ levels, level, onPick, side }: ThinkingMenuProps) {
  const { t } = useTranslation()
  return (
    <Menu
      align="start"
      {...(side && { side })}
      trigger={
        <button type="button" className="pick">
          <Brain size={14} aria-hidden />
          <span className="truncate">
            <span className="visually-hidden">{t('thinkingLevel')}: </span>
            {level ?? t('defaultThinking')}
          </span>
          <ChevronDown size={13} aria-hidden />
        </button>
      }
      entries={[undefined, ...levels].map((one) => ({
        label: one ?? t('defaultThinking'),
        isChosen: one === level,
        onSelect: () => onPick(one),
      }))}
    />
  )
}
