import { createContext, useCallback, useEffect, useState } from 'react'
import { isEmptyOutline, type SessionOutline } from '../../model/session-outline.ts'

const WIDE = '(min-width: 1200px)'

export interface PanelState {
  /** Whether there is anything to show. */
  readonly hasPanel: boolean
  readonly isOpen: boolean
  toggle(): void
  open(): void
}

/** Opens the panel. Absent: there is no panel around. */
export const OpenPanel = createContext<(() => void) | undefined>(undefined)

/** Beside a wide chat the panel is open as soon as it has something to show; elsewhere it is opened by hand. */
export function usePanel(outline: SessionOutline | undefined): PanelState {
  const [isWide, setWide] = useState(() => matchMedia(WIDE).matches)
  const [chosen, setChosen] = useState<boolean>()
  useEffect(() => {
    const query = matchMedia(WIDE)
    const listen = (): void => {
      setWide(query.matches)
      setChosen(undefined)
    }
    query.addEventListener('change', listen)
    return () => query.removeEventListener('change', listen)
  }, [])
  const hasPanel = outline !== undefined && !isEmptyOutline(outline)
  const isOpen = hasPanel && (chosen ?? isWide)
  useEffect(() => {
    if (!isOpen || isWide) return
    // Over the chat the panel is what Esc closes, so nothing below may take the key.
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.isComposing) return
      event.preventDefault()
      event.stopImmediatePropagation()
      setChosen(false)
    }
    addEventListener('keydown', listen, { capture: true })
    return () => removeEventListener('keydown', listen, { capture: true })
  }, [isOpen, isWide])
  const open = useCallback(() => setChosen(true), [])
  return { hasPanel, isOpen, toggle: () => setChosen(!isOpen), open }
}
