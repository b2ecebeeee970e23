// An agent with a tool that changes something and that clients do not see.
import { defineAgent, defineConfig, defineTool, z } from 'polylogue'

const tidy = defineTool({
  name: 'tidy',
  description: 'Tidies up.',
  input: z.object({}),
  effect: 'unsafe',
  exposed: false,
  run: () => 'tidied',
})

export default defineConfig({
  agents: [defineAgent({ name: 'tidy', instructions: 'Follow the script.', model: 'scripted', tools: [tidy] })],
})
