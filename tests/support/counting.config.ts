// Agents for tests that must know whether, how often and with what a tool ran: each run leaves a line in a file.
import { once } from 'node:events'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineAgent, defineConfig, defineTool, z } from 'polylogue'

const count = defineTool({
  name: 'count',
  description: 'Leaves one mark for each time it runs.',
  input: z.object({ run: z.string().regex(/^[a-z0-9-]+$/) }),
  effect: 'unsafe',
  run: async ({ input }) => {
    await appendFile(join(process.env['POLYLOGUE_TEST_MARKS'] ?? '', input.run), '1')
    return `counted ${input.run}`
  },
})

const linger = defineTool({
  name: 'linger',
  description: 'Leaves a mark, then never ends by itself.',
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
  description: 'Throws the reason it is given.',
  input: z.object({ reason: z.string() }),
  effect: 'unsafe',
  run: ({ input }) => {
    throw new Error(input.reason)
  },
})

const measure = defineTool({
  name: 'measure',
  description: 'Returns something that is no string.',
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
