import { useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { LIST_KEY } from '../../model/session-list.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { LazyPalette } from '../palette/lazy-palette.tsx'
import { LinkBanner } from './link-banner.tsx'
import { PhoneBar } from './phone-bar.tsx'
import { Rail } from './rail.tsx'
import { useShortcuts } from './use-shortcuts.ts'
import './shell.css'

export function Shell({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation()
  const [isRailOpen, setRailOpen] = useState(false)
  const { list } = useModel()
  const waiting = useSnapshot(LIST_KEY, () => list.sessions).filter(({ status }) => status === 'waiting_for_input')
  const [location] = useLocation()
  const opened = useSnapshot(LIST_KEY, () => list.find(/^\/s\/([^/]+)/.exec(location)?.[1] ?? ''))
  const title = opened?.intent.split('\n', 1)[0] ?? ''
  useShortcuts()
  useEffect(() => {
    const name = title === '' ? 'Polylogue' : `${title} · Polylogue`
    document.title = waiting.length === 0 ? name : `(${waiting.length}) ${name}`
  }, [waiting.length, title])
  useEffect(() => setRailOpen(false), [location])
  return (
    <div className="shell" data-rail={isRailOpen ? 'open' : 'closed'}>
      <Rail isOpen={isRailOpen} onOpen={() => setRailOpen(true)} onLeave={() => setRailOpen(false)} />
      <button
        type="button"
        className="shell-shade"
        aria-label={t('close')}
        tabIndex={isRailOpen ? 0 : -1}
        onClick={() => setRailOpen(false)}
      />
      <div className="shell-main">
        <LinkBanner />
        {children}
      </div>
      <PhoneBar waiting={waiting.length} isMoreOpen={isRailOpen} onMore={() => setRailOpen(!isRailOpen)} />
      <LazyPalette />
    </div>
  )
}
