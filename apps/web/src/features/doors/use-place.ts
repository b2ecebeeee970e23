import { useCallback, useEffect, useRef, useState } from 'react'

const REST_MS = 200

/** A place in the log. The address follows once it rests: browsers refuse an address that changes a hundred times. */
export function usePlace(
  addressed: number,
  address: (place: number) => void,
): readonly [number, (place: number) => void] {
  const [place, setPlace] = useState(addressed)
  const latest = useRef(address)
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    latest.current = address
  })
  useEffect(() => {
    setPlace(addressed)
    return () => clearTimeout(rest.current)
  }, [addressed])
  const step = useCallback((next: number) => {
    setPlace(next)
    clearTimeout(rest.current)
    rest.current = setTimeout(() => latest.current(next), REST_MS)
  }, [])
  return [place, step]
}
