import { Suspense, lazy, useEffect, useState } from 'react'
import { tinykeys } from 'tinykeys'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

/** Opens with Cmd+K or Ctrl+K, in fields too. */
export function LazyPalette() {
  const [isOpen, setOpen] = useState(false)
  useEffect(
    () =>
      tinykeys(
        window,
        {
          '$mod+k': (event) => {
            event.preventDefault()
            setOpen((before) => !before)
          },
        },
        { ignore: () => false },
      ),
    [],
  )
  if (!isOpen) return null
  return (
    <Suspense>
      <Palette onClose={() => setOpen(false)} />
    </Suspense>
  )
}
