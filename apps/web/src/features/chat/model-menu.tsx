import { ChevronDown, Cpu } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { OfferedModel } from '../../model/blade-rest.ts'
import { Menu } from '../../ui/lazy-menu.tsx'

interface ModelMenuProps {
  readonly models: readonly OfferedModel[]
  /** Absent: the agent's own. */
  readonly model: string | undefined
  readonly onPick: (model: string | undefined) => void
  /** Whether the agent's own can be chosen again. */
  readonly hasDefault: boolean
  readonly side?: 'top'
}

export function ModelMenu({ models, model, onPick, hasDefault, side }: ModelMenuProps) {
  const { t } = useTranslation()
  const name = models.find(({ id }) => id === model)?.name ?? model
  return (
    <Menu
      align="start"
      {...(side && { side })}
      trigger={
        <button type="button" className="pick">
          <Cpu size={14} aria-hidden />
          <span className="truncate">
            <span className="visually-hidden">{t('modelPick')}: </span>
            {name ?? t('defaultModel')}
          </span>
          <ChevronDown size={13} aria-hidden />
        </button>
      }
      entries={[
        ...(hasDefault
          ? [{ label: t('defaultModel'), isChosen: model === undefined, onSelect: () => onPick(undefined) }]
          : []),
        ...models.map(({ id, name: label }) => ({
          label,
          // Some providers have two models of one name.
          ...(models.some((other) => other.name === label && other.id !== id) && { hint: id }),
          isChosen: id === model,
          onSelect: () => onPick(id),
        })),
      ]}
    />
  )
}
