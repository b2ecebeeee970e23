import { ChevronDown, Shield } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useModel } from '../../ui/model-context.tsx'
import { Menu } from '../../ui/menu.tsx'

export const PRESETS = ['read-only', 'plan', 'workspace-write', 'full-access'] as const
export type PresetName = (typeof PRESETS)[number]

/** What the agent of an open session may do by itself. Takes effect at once, in a running turn too. */
export function ModePick({ sessionId }: { readonly sessionId: string }) {
  const model = useModel()
  const [preset, setPreset] = useState<PresetName>()
  useEffect(() => {
    let isCurrent = true
    const read = async (): Promise<void> => {
      const { session } = await (await model.api()).readSession({ id: sessionId })
      if (isCurrent) setPreset(session.preset)
    }
    read().catch(() => undefined)
    return () => void (isCurrent = false)
  }, [model, sessionId])
  if (preset === undefined) return null
  return (
    <PresetMenu
      preset={preset}
      onPick={(next) => {
        setPreset(next)
        model.setPreset(sessionId, next).catch(() => setPreset(preset))
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
