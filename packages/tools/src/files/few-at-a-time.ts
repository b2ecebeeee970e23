/** Limits how many run at once. The others wait in order. */
export interface FewAtATime {
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createFewAtATime(most: number): FewAtATime {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    async run(work) {
      if (running < most) running += 1
      // Hand the free place to the next one.
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
