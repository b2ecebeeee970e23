/**
 * Who must redraw. Everything that can change has a key, such as `row:turn_1`; a change redraws only the readers of its
 * key, once a frame.
 */
export interface Notifier {
  subscribe(key: string, listener: () => void): () => void
  changed(key: string): void
}

/** A hidden page gets no frames, nor does one that is hidden before its next frame. */
const HIDDEN_MS = 250

export function createNotifier(): Notifier {
  const listeners = new Map<string, Set<() => void>>()
  const due = new Set<string>()

  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = (): void => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    const keys = [...due]
    due.clear()
    for (const key of keys) for (const listener of listeners.get(key) ?? []) listener()
  }

  return {
    subscribe(key, listener) {
      const known = listeners.get(key) ?? new Set()
      listeners.set(key, known.add(listener))
      return () => {
        known.delete(listener)
        if (known.size === 0 && listeners.get(key) === known) listeners.delete(key)
      }
    },
    changed(key) {
      if (due.size === 0) {
        frame = requestAnimationFrame(flush)
        timer = setTimeout(flush, HIDDEN_MS)
      }
      due.add(key)
    },
  }
}
