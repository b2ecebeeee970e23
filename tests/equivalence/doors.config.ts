// Agents of the scenarios that go through every door.
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { type AgentConfig, defineAgent, defineConfig, defineTool, z } from 'polylogue'

const echo = defineTool({
  name: 'echo',
  description: 'Returns msg.',
  input: z.object({ msg: z.string() }),
  effect: 'readonly',
  run: ({ input }) => input.msg,
})

const boom = defineTool({
  name: 'boom',
  description: 'Always fails.',
  input: z.object({}),
  effect: 'readonly',
  run: () => {
    throw new Error('boom')
  },
})

const mark = defineTool({
  name: 'mark',
  description: 'Somebody must allow it.',
  input: z.object({ run: z.string() }),
  effect: 'unsafe',
  run: ({ input }) => `marked ${input.run}`,
})

const hold = defineTool({
  name: 'hold',
  description: 'Ends when it runs the second time.',
  input: z.object({}),
  effect: 'readonly',
  run: async ({ attempt, signal }) => {
    if (attempt === 1) await once(signal, 'abort')
    return 'held'
  },
})

const agent: Omit<AgentConfig, 'name'> = {
  instructions: 'Follow the script.',
  model: 'scripted',
  tools: [echo, boom, mark, hold, 'AskUserQuestion', 'Agent'],
  features: { images: ['data'] },
}

export default defineConfig({
  // Sessions may choose their models. Nothing asks those of OpenAI, and nobody answers for the other.
  providers: { lab: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'none', model: 'small' }, openai: { apiKey: 'none' } },
  // Editors may work where the tests keep their files.
  acp: { roots: { local: [tmpdir()] } },
  agents: [
    defineAgent({ ...agent, name: 'doors' }),
    defineAgent({ ...agent, name: 'thrifty', budgets: { turn: { steps: 2 } } }),
  ],
})
