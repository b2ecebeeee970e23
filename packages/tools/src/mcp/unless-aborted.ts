/** Stops waiting when `signal` aborts. The later result of the promise is ignored. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      const { reason } = signal as { readonly reason: unknown }
      reject(reason instanceof Error ? reason : new Error(String(reason)))
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
