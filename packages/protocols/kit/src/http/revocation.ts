const watchers = new WeakMap<AbortSignal, Set<() => void>>()

/** One listener per signal, however many streams a key has open. Returns how to stop watching. */
export function onRevoked(signal: AbortSignal, end: () => void): () => void {
  if (signal.aborted) {
    end()
    return () => undefined
  }
  const group = watchers.get(signal) ?? watch(signal)
  group.add(end)
  return () => void group.delete(end)
}

function watch(signal: AbortSignal): Set<() => void> {
  const group = new Set<() => void>()
  watchers.set(signal, group)
  signal.addEventListener('abort', () => group.forEach((end) => end()), { once: true })
  return group
}
