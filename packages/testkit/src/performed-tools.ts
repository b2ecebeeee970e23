import type { Tool } from '@polylogue/engine'

const plain = {
  parameters: { type: 'object' },
  exposed: true,
  check: (input) => ({ ok: true, input }),
  run: () => Promise.reject(new Error('the engine must not run this tool')),
} satisfies Partial<Tool>

/** Starts sub-agents; its name is `Agent`. */
export const createAgentTool = (): Tool => ({
  ...plain,
  name: 'Agent',
  description: 'Starts a sub-agent.',
  effect: 'unsafe',
  performer: 'agent',
})

/** Asks the user; its name is `Ask`. */
export const createQuestionTool = (): Tool => ({
  ...plain,
  name: 'Ask',
  description: 'Asks the user.',
  effect: 'readonly',
  performer: 'user',
})
