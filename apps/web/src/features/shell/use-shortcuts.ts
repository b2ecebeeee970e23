import { useEffect } from 'react'
import { tinykeys } from 'tinykeys'
import { useLocation } from 'wouter'
import { readSetting } from '../../ui/settings.ts'

const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], dialog') !== null

/** Single keys work outside of fields only, and can be switched off (WCAG 2.1.4). */
export function useShortcuts(): void {
  const [, navigate] = useLocation()
  useEffect(() => {
    const single =
      (run: () => void) =>
      (event: KeyboardEvent): void => {
        if (isTyping(event) || event.defaultPrevented || readSetting('keys') === 'off') return
        event.preventDefault()
        run()
      }
    return tinykeys(window, {
      n: single(() => navigate('/')),
      '/': single(() => navigate('/sessions')),
      c: single(() => document.querySelector<HTMLElement>('.composer textarea')?.focus()),
      'g i': single(() => navigate('/inbox')),
      'g s': single(() => navigate('/sessions')),
      'g u': single(() => navigate('/usage')),
      'g d': single(() => {
        const id = /^\/s\/([^/]+)/.exec(location.pathname)?.[1]
        if (id !== undefined) navigate(`/s/${id}/doors`)
      }),
    })
  }, [navigate])
}
