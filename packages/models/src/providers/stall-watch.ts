import type { Clock, Timer } from '@polylogue/engine'

export type Stall = 'first-byte' | 'idle'

export interface StallWatch {
  /** A byte arrived. */
  touch(): void
  /** We are not waiting for the provider: our own reader is busy. */
  hold(): void
  /** We are waiting again. */
  resume(): void
  stop(): void
}

export interface StallWatchParts {
  readonly clock: Clock
  readonly firstByteMs: number
  readonly idleMs: number
  onStall(stall: Stall): void
}

/** One timer per answer. It is reset when it fires too early, not with every byte. */
export function watchForStalls({ clock, firstByteMs, idleMs, onStall }: StallWatchParts): StallWatch {
  let waitingSince = clock.now()
  let phase: Stall = 'first-byte'
  let isHeld = false
  let timer: Timer | undefined

  const limit = (): number => (phase === 'first-byte' ? firstByteMs : idleMs)
  const check = (): void => {
    const left = isHeld ? limit() : waitingSince + limit() - clock.now()
    if (left > 0) timer = clock.setTimer(left, check)
    else onStall(phase)
  }
  timer = clock.setTimer(firstByteMs, check)

  return {
    touch() {
      waitingSince = clock.now()
      if (phase === 'idle') return
      phase = 'idle'
      timer?.cancel()
      timer = clock.setTimer(idleMs, check)
    },
    hold() {
      isHeld = true
    },
    resume() {
      isHeld = false
      waitingSince = clock.now()
    },
    stop() {
      timer?.cancel()
    },
  }
}
