import { Suspense, lazy, useState } from 'react'
import type { MenuProps } from './menu.tsx'

const load = () => import('./menu.tsx')
const LoadedMenu = lazy(async () => ({ default: (await load()).Menu }))

/** Loads the code of menus right after the first paint. */
export const preloadMenu = (): void => void load()

/** Until its code is there, the button is shown alone. Pressed then, the menu opens as soon as it can. */
export function Menu(props: Omit<MenuProps, 'isOpenAtStart'>) {
  const [isWanted, setWanted] = useState(false)
  return (
    <Suspense
      fallback={
        <span className="early-menu" onClick={() => setWanted(true)}>
          {props.trigger}
        </span>
      }
    >
      <LoadedMenu {...props} isOpenAtStart={isWanted} />
    </Suspense>
  )
}
