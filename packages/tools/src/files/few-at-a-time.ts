/** Lets only so many run at once; the others wait in the order in which they came. */
export interface FewAtATime {
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createFewAtATime(most: number): FewAtATime {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    async run(work) {
      if (running < most) running += 1
      // Whoever ends hands its place on.
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
  }
}
