/** The engine's source of time. Tests inject a clock that moves only on demand. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Contract: `run` is called once, after `ms`, unless cancelled. A pending timer never keeps the process alive. */
  setTimer(ms: number, run: () => void): Timer
}

export interface Timer {
  cancel(): void
}
