import { defineAgent, defineConfig, defineTool, z } from 'polylogue'

const echo = defineTool({
  name: 'echo',
  description: 'Returns how long its input is.',
  input: z.object({ msg: z.string() }),
  effect: 'readonly',
  run: ({ input }) => `${input.msg.length} characters`,
})

/** An agent whose provider is the server that POLYLOGUE_TEST_PROVIDER names, with little patience. */
export default defineConfig({
  agents: [defineAgent({ name: 'faulty', instructions: 'Be brief.', model: 'fake/small', tools: [echo] })],
  providers: {
    fake: {
      baseUrl: process.env['POLYLOGUE_TEST_PROVIDER'] ?? '',
      deadlines: { firstByteMs: 1500, idleMs: 1500, totalMs: 60_000 },
    },
  },
})
