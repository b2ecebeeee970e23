// An agent whose sessions work in one directory, which may be missing on a node.
import { defineAgent, defineConfig } from 'polylogue'

export default defineConfig({
  agents: [
    defineAgent({
      name: 'placed',
      instructions: 'Follow the script.',
      model: 'scripted',
      tools: ['Read'],
      workspace: process.env['POLYLOGUE_TEST_PLACE'] ?? '',
    }),
  ],
})
