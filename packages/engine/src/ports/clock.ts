/** Time as the engine sees it. Tests inject one that stands still until told. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Contract: `run` is called once, after `ms`, unless cancelled. A pending timer never keeps the process alive. */
  setTimer(ms: number, run: () => void): Timer
}

export interface Timer {
  cancel(): void
}
