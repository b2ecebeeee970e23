const PERIOD_MS = 20

/** Fifty deltas a second. Each is the machine's monotonic clock in microseconds, which all processes share. */
export async function* stampedDeltas(count: number): AsyncGenerator<string> {
  const startedAt = performance.now() + Math.random() * PERIOD_MS
  for (let index = 0; index < count; index++) {
    const wait = startedAt + index * PERIOD_MS - performance.now()
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)))
    yield `@${monotonicMicros()}@`
  }
}

export const monotonicMicros = (): number => Number(process.hrtime.bigint() / 1000n)
