/** Settings of this browser. */
import { storage } from '../model/storage.ts'

const DEFAULTS = { theme: 'system', density: 'roomy', keys: 'on' } as const
const VALUES = {
  theme: ['system', 'light', 'dark'],
  density: ['roomy', 'compact'],
  keys: ['on', 'off'],
} as const

export type SettingName = keyof typeof VALUES
export type SettingValue<Name extends SettingName> = (typeof VALUES)[Name][number]

export function readSetting<Name extends SettingName>(name: Name): SettingValue<Name> {
  const kept = storage.getItem(`polylogue.${name}`)
  const values: readonly SettingValue<Name>[] = VALUES[name]
  return values.find((value) => value === kept) ?? (DEFAULTS[name] as SettingValue<Name>)
}

export function keepSetting<Name extends SettingName>(name: Name, value: SettingValue<Name>): void {
  storage.setItem(`polylogue.${name}`, value)
  applySettings()
}

/** Puts theme and density on the root element, where the tokens read them. */
export function applySettings(): void {
  const { dataset } = document.documentElement
  dataset['theme'] = readSetting('theme')
  dataset['density'] = readSetting('density')
}
