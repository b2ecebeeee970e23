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
      j: single(() => stepRow(1)),
      k: single(() => stepRow(-1)),
      o: single(foldRow),
      'Shift+?': single(() => navigate('/settings')),
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

const rowsInView = (): readonly HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.transcript [data-turn]')]

/** Goes to the next or the previous row of the chat. */
function stepRow(by: 1 | -1): void {
  const rows = rowsInView()
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at === -1 ? (by === 1 ? rows[0] : rows.at(-1)) : rows[at + by]
  if (next === undefined) return
  next.tabIndex = -1
  next.focus({ preventScroll: true })
  next.scrollIntoView({ block: 'nearest' })
}

/** Opens or closes what is folded in the row that has the focus. */
function foldRow(): void {
  const row = rowsInView().find((one) => one.contains(document.activeElement))
  row?.querySelector<HTMLElement>('[aria-expanded]')?.click()
}
