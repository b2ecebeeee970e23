import {
  Brain,
  CalendarClock,
  ChartColumn,
  Columns3,
  Inbox,
  KeyRound,
  Languages,
  Moon,
  Pin,
  Plug,
  Plus,
  Scale,
  Search,
  Settings,
  Shrink,
  Square,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useRoute } from 'wouter'
import { chooseLanguage } from '../../i18n/init-words.ts'
import { pinSession } from '../../model/blade-rest.ts'
import { useModel } from '../../ui/model-context.tsx'
import { keepSetting } from '../../ui/settings.ts'

export interface PaletteAction {
  readonly id: string
  readonly label: string
  readonly icon: ReactNode
  readonly keys?: string | undefined
  readonly run: () => void
}

export interface PaletteGroup {
  readonly heading: string
  readonly actions: readonly PaletteAction[]
}

const SIZE = 15

export function usePaletteActions(): readonly PaletteGroup[] {
  const { t } = useTranslation()
  const open = useOpenSessionActions()
  const screens = useScreens()
  const looks = useLooks()
  return [
    ...(open.length === 0 ? [] : [{ heading: t('thisSession'), actions: open }]),
    { heading: t('goTo'), actions: screens },
    { heading: t('settings'), actions: looks },
  ]
}

function useOpenSessionActions(): readonly PaletteAction[] {
  const { t } = useTranslation()
  const model = useModel()
  const [, navigate] = useLocation()
  const [, params] = useRoute<{ id: string }>('/s/:id/*?')
  const id = params?.id
  if (id === undefined) return []
  const session = model.session(id)
  if (!session.mayChange) return []
  const { isRunning, detail } = session.head
  const isPinned = detail?.is_pinned === true
  return [
    {
      id: 'doors',
      label: t('doorsTitle'),
      icon: <Columns3 size={SIZE} aria-hidden />,
      keys: 'g d',
      run: () => navigate(`/s/${id}/doors`),
    },
    ...(isRunning
      ? [
          {
            id: 'stop',
            label: t('stop'),
            icon: <Square size={SIZE} aria-hidden />,
            keys: 'esc',
            run: () => void model.stop(id),
          },
        ]
      : [
          {
            id: 'compact',
            label: t('compact'),
            icon: <Shrink size={SIZE} aria-hidden />,
            run: () => void model.compact(id),
          },
        ]),
    {
      id: 'pin',
      label: isPinned ? t('unpin') : t('pin'),
      icon: <Pin size={SIZE} aria-hidden />,
      run: () => void pinSession(id, !isPinned),
    },
  ]
}

function useScreens(): readonly PaletteAction[] {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const go = (id: string, label: string, more: Pick<PaletteAction, 'icon' | 'keys'>): PaletteAction => ({
    id,
    label,
    ...more,
    run: () => navigate(id),
  })
  return [
    go('/', t('newSession'), { icon: <Plus size={SIZE} aria-hidden />, keys: 'n' }),
    go('/inbox', t('inbox'), { icon: <Inbox size={SIZE} aria-hidden />, keys: 'g i' }),
    go('/sessions', t('search'), { icon: <Search size={SIZE} aria-hidden />, keys: '/' }),
    go('/usage', t('usage'), { icon: <ChartColumn size={SIZE} aria-hidden />, keys: 'g u' }),
    go('/schedules', t('schedules'), { icon: <CalendarClock size={SIZE} aria-hidden /> }),
    go('/manage/rules', t('rules'), { icon: <Scale size={SIZE} aria-hidden /> }),
    go('/manage/memories', t('memories'), { icon: <Brain size={SIZE} aria-hidden /> }),
    go('/manage/keys', t('keys'), { icon: <KeyRound size={SIZE} aria-hidden /> }),
    go('/connect', t('connect'), { icon: <Plug size={SIZE} aria-hidden /> }),
    go('/settings', t('settings'), { icon: <Settings size={SIZE} aria-hidden /> }),
  ]
}

function useLooks(): readonly PaletteAction[] {
  const { t, i18n } = useTranslation()
  const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark'
  const other = i18n.language === 'en' ? 'zh-CN' : 'en'
  return [
    {
      id: 'theme',
      label: `${t('theme')}: ${isDark ? t('themeLight') : t('themeDark')}`,
      icon: <Moon size={SIZE} aria-hidden />,
      run: () => keepSetting('theme', isDark ? 'light' : 'dark'),
    },
    {
      id: 'language',
      label: other === 'en' ? 'English' : '简体中文',
      icon: <Languages size={SIZE} aria-hidden />,
      run: () => void chooseLanguage(other),
    },
  ]
}
