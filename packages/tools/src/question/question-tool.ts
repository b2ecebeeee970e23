import type { Tool } from '@polylogue/engine'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

const option = z.object({ label: z.string().trim().min(1).max(200), description: z.string().max(1000).optional() })

const question = z.object({
  question: z.string().trim().min(1).max(2000),
  header: z.string().max(60).optional().describe('One or two words above the question'),
  options: z
    .array(option)
    .max(8)
    .refine((options) => new Set(options.map(({ label }) => label)).size === options.length, 'labels must differ')
    .default([])
    .describe('What the user may choose from; empty for an answer in words'),
  multiSelect: z.boolean().optional().describe('Whether several options may be chosen'),
})

const input = z.object({ questions: z.array(question).min(1).max(4) })

/** The user performs it: the call waits for the user's answer, which becomes its result. */
export function createQuestionTool(): Tool {
  return defineTool({
    name: 'AskUserQuestion',
    title: 'Ask the user',
    description:
      'Asks the user one to four questions and waits for the answers. Use it when you cannot go on well without a ' +
      'decision of theirs. They may always answer in words of their own. Never ask for passwords or keys.',
    input,
    effect: 'readonly',
    kind: 'question',
    performer: 'user',
    nature: 'question',
    inspect: async ({ questions }) => ({
      facts: { type: 'question' },
      preview: { title: questions[0]?.question.slice(0, 200) ?? 'Ask the user' },
    }),
    run: () => {
      throw new Error('a question is answered by its user, not run')
    },
  })
}
