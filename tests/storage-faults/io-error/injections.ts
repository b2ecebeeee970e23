import type { Injection } from '../strace-flags.ts'

export interface FailingCalls {
  readonly call: string
  /** The number of the call that fails. */
  readonly points: readonly number[]
}

/** Each call fails once. With `alsoLasting`, every second call also fails together with all later calls. */
export function injectionsOf(calls: readonly FailingCalls[], { alsoLasting = false } = {}): readonly Injection[] {
  return calls.flatMap(({ call, points }) =>
    points.flatMap((nth) => {
      const once: Injection = { call, nth, isLasting: false }
      return alsoLasting && nth % 2 === 0 ? [once, { ...once, isLasting: true }] : [once]
    }),
  )
}

export const nameOf = ({ call, nth, isLasting }: Injection): string => `${call} ${nth}${isLasting ? ' and on' : ''}`
