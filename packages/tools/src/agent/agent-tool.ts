import type { Tool } from '@polylogue/engine'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

export interface SubAgent {
  readonly name: string
  readonly description?: string
}

const LONGEST_PROMPT = 200_000

/** `Agent`: hands work to a sub-agent. If no sub-agents are named, it is the agent itself with an empty context. */
export function createAgentTool(subAgents: readonly SubAgent[] = []): Tool {
  const [first, ...others] = subAgents.map(({ name }) => name)
  const named =
    first === undefined
      ? {}
      : {
          agent: z
            .enum([first, ...others])
            .optional()
            .describe(listOf(subAgents)),
        }
  return defineTool({
    name: 'Agent',
    title: 'Sub-agent',
    description:
      'Hands a piece of work to a sub-agent with a conversation of its own and returns what it says last. It knows ' +
      'nothing but the prompt, has at most your rights, and several of them work side by side when called together.',
    input: z.object({
      ...named,
      description: z.string().trim().min(1).max(200).describe('What it is for, in a few words'),
      prompt: z.string().min(1).max(LONGEST_PROMPT).describe('All that the sub-agent is told'),
    }),
    effect: 'unsafe',
    kind: 'agent',
    nature: 'agent',
    performer: 'agent',
    inspect: async ({ description }) => ({ facts: { type: 'agent' }, preview: { title: description } }),
    run: () => Promise.reject(new Error('the engine runs sub-agents itself')),
  })
}

const listOf = (subAgents: readonly SubAgent[]): string =>
  [
    'Who does it; you yourself with a fresh mind if left out.',
    ...subAgents.map(({ name, description }) => (description === undefined ? name : `${name}: ${description}`)),
  ].join('\n')
