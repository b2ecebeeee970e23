// An agent whose model writes `flood <count> <bytes> <per second>`: so many pieces, each with the time at its head.
import { setTimeout as delay } from 'node:timers/promises'
import { defineAgent, defineConfig } from 'polylogue'

const ORDER = /flood (\d+) (\d+) (\d+)(?!.*flood)/s

async function* flood(order: string): AsyncGenerator<string> {
  const [, count = '0', bytes = '0', perSecond = '0'] = ORDER.exec(order) ?? []
  const startedAt = performance.now()
  for (let index = 0; index < Number(count); index++) {
    const wait = startedAt + (index * 1000) / Number(perSecond) - performance.now()
    await delay(Math.max(0, wait))
    // All processes of a machine share this clock.
    yield `@${process.hrtime.bigint() / 1000n}@`.padEnd(Number(bytes), 'x')
  }
}

export default defineConfig({
  agents: [
    defineAgent({
      name: 'flood',
      instructions: '',
      model: {
        async *stream({ messages }) {
          for await (const text of flood(JSON.stringify(messages.at(-1)))) yield { type: 'text', text }
          yield { type: 'finished', finish: 'stop', usage: { inputTokens: 0, outputTokens: 0 } }
        },
      },
    }),
  ],
  // One key plays all clients.
  limits: { streamsPerKey: 10_000, runningTurnsPerUser: 10_000 },
})
