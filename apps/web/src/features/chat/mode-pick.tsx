import { ChevronDown, Shield } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useModel } from '../../ui/model-context.tsx'
import { Menu } from '../../ui/lazy-menu.tsx'

export const PRESETS = ['read-only', 'plan', 'workspace-write', 'full-access'] as const
export type PresetName = (typeof PRESETS)[number]

/** Their names. */
export const MODES = {
  'read-only': 'modeReadOnly',
  plan: 'modePlan',
  'workspace-write': 'modeWrite',
  'full-access': 'modeFull',
} as const

interface ModePickProps {
  readonly sessionId: string
  readonly preset: PresetName
}

/** What the agent of an open session may do by itself. Takes effect at once, in a running turn too. */
export function ModePick({ sessionId, preset }: ModePickProps) {
  const model = useModel()
  const [chosen, setChosen] = useState<PresetName>()
  return (
    <PresetMenu
      preset={chosen ?? preset}
      onPick={(next) => {
        setChosen(next)
        void model
          .setPreset(sessionId, next)
          .catch(() => undefined)
          .finally(() => setChosen(undefined))
      }}
    />
  )
}

export function PresetMenu({
  preset,
  onPick,
}: {
  readonly preset: PresetName
  readonly onPick: (preset: PresetName) => void
}) {
  const { t } = useTranslation()
  const words = {
    'read-only': [t('modeReadOnly'), t('modeReadOnlyHint')],
    plan: [t('modePlan'), t('modePlanHint')],
    'workspace-write': [t('modeWrite'), t('modeWriteHint')],
    'full-access': [t('modeFull'), t('modeFullHint')],
  } as const
  return (
    <Menu
      align="start"
      side="top"
      trigger={
        <button type="button" className="pick" title={words[preset][1]}>
          <Shield size={14} aria-hidden />
          <span className="truncate">
            <span className="visually-hidden">{t('mode')}: </span>
            {words[preset][0]}
          </span>
          <ChevronDown size={13} aria-hidden />
        </button>
      }
      entries={PRESETS.map((name) => ({
        label: words[name][0],
        hint: words[name][1],
        isChosen: name === preset,
        onSelect: () => onPick(name),
      }))}
    />
  )
}
