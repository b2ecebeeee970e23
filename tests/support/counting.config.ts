// Agents for tests that count tool runs: each run appends a line with its input to a file.
import { once } from 'node:events'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineAgent, defineConfig, defineTool, z } from 'polylogue'

const count = defineTool({
  name: 'count',
  description: 'Writes one mark for each run.',
  input: z.object({ run: z.string().regex(/^[a-z0-9-]+$/) }),
  effect: 'unsafe',
  run: async ({ input }) => {
    await appendFile(join(process.env['POLYLOGUE_TEST_MARKS'] ?? '', input.run), '1')
    return `counted ${input.run}`
  },
})

const linger = defineTool({
  name: 'linger',
  description: 'Writes a mark and never ends by itself.',
  input: z.object({ run: z.string().regex(/^[a-z0-9-]+$/) }),
  effect: 'unsafe',
  run: async ({ input, signal }) => {
    await appendFile(join(process.env['POLYLOGUE_TEST_MARKS'] ?? '', input.run), '1')
    await once(signal, 'abort')
    return 'ended'
  },
})

const explode = defineTool({
  name: 'explode',
  description: 'Throws the given reason.',
  input: z.object({ reason: z.string() }),
  effect: 'unsafe',
  run: ({ input }) => {
    throw new Error(input.reason)
  },
})

const measure = defineTool({
  name: 'measure',
  description: 'Returns a value that is not a string.',
  input: z.object({ width: z.number() }),
  effect: 'readonly',
  run: ({ input }) => ({ width: input.width, unit: 'm' }),
})

export default defineConfig({
  agents: [
    defineAgent({
      name: 'counting',
      instructions: 'Follow the script.',
      model: 'scripted',
      tools: [count, linger, explode, measure],
    }),
  ],
})
