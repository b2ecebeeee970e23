import { createContext, useCallback, useEffect, useState } from 'react'
import { outlineKey, type OpenSession } from '../../model/open-session.ts'
import { useSnapshot } from '../../ui/model-context.tsx'

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
export function usePanel(session: OpenSession): PanelState {
  const { plan, agents, card } = useSnapshot(outlineKey(session.id), () => session.outline)
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
  const hasPanel = plan.length > 0 || agents.length > 0 || card !== undefined
  const isOpen = hasPanel && (chosen ?? isWide)
  const open = useCallback(() => setChosen(true), [])
  return { hasPanel, isOpen, toggle: () => setChosen(!isOpen), open }
}
