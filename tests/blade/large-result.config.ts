// An agent that calls a tool with a result of as many bytes as the message says.
import { defineAgent, defineConfig, defineTool, z } from 'polylogue'

const large = defineTool({
  name: 'large',
  title: 'Large',
  description: 'Returns a text of so many bytes.',
  input: z.object({ bytes: z.number() }),
  effect: 'readonly',
  run: ({ input }) => 'x'.repeat(input.bytes),
})

export default defineConfig({
  agents: [
    defineAgent({
      name: 'large',
      instructions: '',
      tools: [large],
      model: {
        async *stream({ messages }) {
          const bytes = Number(/large (\d+)/.exec(JSON.stringify(messages[0]))?.[1])
          const usage = { inputTokens: 0, outputTokens: 0 }
          if (messages.length === 1) {
            yield { type: 'tool-call', id: 'c1', name: 'large', input: { bytes } }
            yield { type: 'finished', finish: 'tool-calls', usage }
          } else {
            yield { type: 'text', text: 'done' }
            yield { type: 'finished', finish: 'stop', usage }
          }
        },
      },
    }),
  ],
  limits: { streamsPerKey: 10_000, runningTurnsPerUser: 10_000 },
})
