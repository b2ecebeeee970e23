import type { Tool } from '@polylogue/engine'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

const todo = z.object({
  content: z.string().trim().min(1).max(1000).describe('What is to be done'),
  status: z.enum(['pending', 'in_progress', 'completed']),
  priority: z.enum(['high', 'medium', 'low']).optional(),
})
const input = z.object({
  todos: z.array(todo).max(100).describe('The whole plan, in order; it replaces the one before'),
})

type Todos = z.output<typeof input>['todos']

/** The plan is the input of the newest completed call. */
export function createTodoTool(): Tool {
  return defineTool({
    name: 'TodoWrite',
    title: 'Write the plan',
    description:
      'Keeps the plan of what you do, as a list of steps that the user sees. Use it for work of three steps or more: ' +
      'give the whole list each time, have one step in progress, and mark a step completed as soon as it is.',
    input,
    effect: 'idempotent',
    kind: 'plan',
    nature: 'notes',
    inspect: async ({ todos }) => ({
      facts: { type: 'notes' },
      preview: { title: `Plan: ${todos.length} ${todos.length === 1 ? 'step' : 'steps'}` },
    }),
    run: ({ input: { todos } }) => describePlan(todos),
  })
}

function describePlan(todos: Todos): string {
  if (todos.length === 0) return 'The plan is empty.'
  const open = todos.filter(({ status }) => status !== 'completed').length
  const current = todos.find(({ status }) => status === 'in_progress')
  const state = open === 0 ? `All ${todos.length} steps are completed.` : `${open} of ${todos.length} steps are open.`
  return current === undefined ? `The plan is kept. ${state}` : `The plan is kept. ${state} Now: ${current.content}`
}
