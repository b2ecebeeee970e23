// An agent whose tools log each run before they do anything else, so that tests can count the runs.
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { defineAgent, defineConfig, defineTool, z } from 'polylogue'

const EFFECTS_FILE = process.env['POLYLOGUE_TEST_EFFECTS'] ?? ''

const counted = (name: string, effect: 'readonly' | 'idempotent' | 'unsafe') =>
  defineTool({
    name,
    description: `Leaves a line with the id of its call (${effect}).`,
    input: z.object({}),
    effect,
    run: async ({ toolCallId }) => {
      appendFileSync(EFFECTS_FILE, `${toolCallId}\n`)
      await delay(5)
      return `${name} took effect`
    },
  })

export default defineConfig({
  agents: [
    defineAgent({
      name: 'crash',
      instructions: 'Follow the script.',
      model: 'scripted',
      tools: [
        counted('look', 'readonly'),
        counted('put', 'idempotent'),
        counted('pay', 'unsafe'),
        counted('charge', 'unsafe'),
        'Agent',
      ],
    }),
  ],
})
