// An agent with all built-in tools, and one of its own whose results say something to clients alone.
import { defineAgent, defineConfig, defineTool, z } from 'polylogue'

const weather = defineTool({
  name: 'weather',
  description: 'Says what the weather is, and shows a card of it.',
  input: z.object({ city: z.string() }),
  effect: 'readonly',
  run: ({ input }) => ({
    city: input.city,
    sky: 'clear',
    _meta: {
      ui: { resourceHTML: '<p>card-for-clients</p>', target: 'inline', height: 120 },
      bridge: { action: 'show-map', payload: { zoom: 7 } },
    },
  }),
})

export default defineConfig({
  agents: [
    defineAgent({
      name: 'worker',
      instructions: 'Follow the script.',
      model: 'scripted',
      tools: [
        weather,
        ...['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'WebFetch', 'AskUserQuestion', 'Agent', 'TodoWrite'],
      ],
    }),
  ],
  webFetch: { allowHosts: ['127.0.0.1'] },
  permissions: { allowHosts: ['127.0.0.1'], deny: [{ tool: 'Bash', args: { command: '\\bkubectl\\b' } }] },
})
