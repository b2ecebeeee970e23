import { stampedDeltas } from './stamped-deltas.ts'

const LAST_COUNT = /stamps (\d+)(?!.*stamps)/s

/** An agent whose model writes a timestamp into each delta, so that a client can measure the delay. */
const stamps = {
  name: 'stamps',
  version: '1.0.0',
  instructions: '',
  model: {
    async *stream(request: { readonly messages: readonly unknown[] }) {
      const count = Number(LAST_COUNT.exec(JSON.stringify(request.messages.at(-1)))?.[1] ?? 1)
      for await (const text of stampedDeltas(count)) yield { type: 'text', text }
      yield { type: 'finished', finish: 'stop', usage: { inputTokens: 0, outputTokens: count } }
    },
  },
}

/** All clients share one key. */
const limits = {
  streamsPerKey: 20_000,
  requestsPerKeyPerMinute: 100_000_000,
  promptsPerUserPerMinute: 100_000_000,
  runningTurnsPerUser: 10_000,
}

export default { agents: [stamps], limits }
