import { defineAgent, defineConfig, defineTool, z } from 'polylogue'

const shout = defineTool({
  name: 'shout',
  description: 'Prints to where the frames of the protocol go.',
  input: z.object({}),
  effect: 'readonly',
  async run() {
    console.log('from console.log')
    process.stdout.write('from stdout\n')
    return 'ok'
  },
})

export default defineConfig({
  bash: { sandbox: 'none' },
  agents: [defineAgent({ name: 'loud', instructions: '', model: 'scripted', tools: [shout] })],
})
