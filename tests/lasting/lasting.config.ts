// Agents whose windows fill up (`lasting` after three long turns, `enduring` after some fifteen of its turns), and one that
// must ask after every third model call.
import { defineAgent, defineConfig } from 'polylogue'

const scripted = { instructions: 'Follow the script.', model: 'scripted' } as const

export default defineConfig({
  agents: [
    defineAgent({ ...scripted, name: 'lasting', contextWindow: 3_000, tools: ['Remember'] }),
    defineAgent({ ...scripted, name: 'thrifty', budgets: { session: { steps: 3 } } }),
    defineAgent({ ...scripted, name: 'enduring', contextWindow: 8_000, tools: ['Glob'] }),
  ],
})
