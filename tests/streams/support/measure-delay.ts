import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { beginExchange } from '../../support/http-exchange.ts'
import type { AapClient } from '../../support/aap-client.ts'

const PER_SECOND = 100
const BYTES = 64

/** How long each delta was under way from the model to a client that reads, in milliseconds, until told to stop. */
export async function measureDelays(client: AapClient, stop: AbortSignal): Promise<readonly number[]> {
  const delays: number[] = []
  const { id } = await openSession(client, { agent: 'flood' })
  while (!stop.aborted) {
    const content = `flood ${PER_SECOND} ${BYTES} ${PER_SECOND}`
    const body = { stream: 'delta', messages: [{ role: 'user', content }] }
    const response = await beginExchange(client.exchange('POST', V3.turns(id), { body }))
    for await (const bytes of response) {
      const now = Number(process.hrtime.bigint() / 1000n)
      for (const [, sentAt] of String(bytes).matchAll(/@(\d+)@/g)) delays.push((now - Number(sentAt)) / 1000)
    }
  }
  return delays
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
