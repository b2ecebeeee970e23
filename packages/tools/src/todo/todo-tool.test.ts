import type { JsonObject } from '@polylogue/engine'
import { createInvocation } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createTodoTool } from './todo-tool.ts'

const tool = createTodoTool()
const step = (status: string, content = 'Read the code'): { content: string; status: string } => ({ content, status })

async function resultOf(...todos: readonly ReturnType<typeof step>[]): Promise<unknown> {
  return tool.run(createInvocation(tool, { todos }))
}

describe('TodoWrite', () => {
  it('reports the number of open steps and the one in progress', async () => {
    expect(await resultOf(step('completed'), step('in_progress', 'Write'), step('pending'))).toEqual({
      content: 'The plan is kept. 2 of 3 steps are open. Now: Write',
    })
    expect(await resultOf(step('pending'))).toEqual({ content: 'The plan is kept. 1 of 1 steps are open.' })
    expect(await resultOf(step('completed'))).toEqual({ content: 'The plan is kept. All 1 steps are completed.' })
    expect(await resultOf()).toEqual({ content: 'The plan is empty.' })
  })

  it('keeps notes, may run twice, and is of kind plan', async () => {
    const { effect, kind, nature } = tool
    expect({ effect, kind, nature }).toEqual({ effect: 'idempotent', kind: 'plan', nature: 'notes' })
    const { input } = createInvocation(tool, { todos: [step('pending')] })
    expect(await tool.inspect?.(input, { cwd: '/nowhere', roots: [] })).toEqual({
      facts: { type: 'notes' },
      preview: { title: 'Plan: 1 step' },
    })
  })

  it.each<[JsonObject, string]>([
    [{}, 'todos: is missing'],
    [{ todos: [step('done')] }, 'todos[0].status: must be one of pending, in_progress, completed'],
    [{ todos: [step('pending', '  ')] }, 'todos[0].content: must not be empty'],
    [{ todos: [{ ...step('pending'), priority: 'top' }] }, 'todos[0].priority: must be one of high, medium, low'],
    [
      { todos: Array.from({ length: 101 }, () => step('pending')) },
      'todos: Too big: expected array to have <=100 items',
    ],
    [
      { todos: [step('pending', 'x'.repeat(1001))] },
      'todos[0].content: Too big: expected string to have <=1000 characters',
    ],
  ])('refuses an invalid plan, case %#', (input, problem) => {
    expect(tool.check(input)).toEqual({ ok: false, problem })
  })

  it('takes 100 steps of 1,000 characters', () => {
    const todos = Array.from({ length: 100 }, () => ({ ...step('pending', 'x'.repeat(1000)), priority: 'low' }))
    expect(tool.check({ todos }).ok).toBe(true)
  })
})
