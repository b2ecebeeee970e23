import { describe, expect, it } from 'vitest'
import { foldLog } from './logged-calls.ts'
import { formatWhatRuns } from './what-runs.ts'

const shown = (name: string, input: unknown, more: object = {}) =>
  formatWhatRuns({ toolCallId: 'a', name, input, ...more })

describe('what would run', () => {
  it('is shown whole, line by line, and cannot steer the terminal', () => {
    expect(shown('Bash', { command: 'echo a\n\u001b[2Jrm b', timeoutMs: 5 })).toEqual([
      '$ echo a',
      '  \\u001b[2Jrm b',
      '{"timeoutMs":5}',
    ])
    expect(shown('Write', { path: 'a', content: 'x\ny\n' }, { isNewFile: true })).toEqual([
      'a (a new file)',
      '+ x',
      '+ y',
    ])
    expect(shown('Write', { path: 'a', content: '' }, { isNewFile: false })).toEqual([
      'a (in place of what is there)',
      '+ ',
    ])
    expect(shown('Edit', { path: 'a', oldText: 'x', newText: 'y\nz', replaceAll: true })).toEqual([
      'a',
      '- x',
      '+ y',
      '+ z',
      '{"replaceAll":true}',
    ])
  })

  it.each([
    ['count', { run: 'x\ny' }],
    ['Bash', { command: 7 }],
    ['Edit', { path: 'a' }],
  ])('of %s %j is its input where nothing better is known', (name, input) => {
    expect(shown(name, input)).toEqual([JSON.stringify(input)])
  })
})

describe('the log of a session', () => {
  it('tells whose call it is, why it waits, and whether its file is a new one', () => {
    const inspections = { a: { facts: { type: 'write-files' }, preview: { diffs: [{ path: '/a', newText: 'x' }] } } }
    const calls = foldLog([
      { seq: 1, at: 0, event: { type: 'session.created', preset: 'plan' } },
      { seq: 2, at: 0, event: { type: 'loop.started', loopId: 'l', agent: 'assistant', description: 'Look' } },
      { seq: 3, at: 0, event: { type: 'step.answered', loopId: 'l', routes: { a: 'server' }, inspections } },
      { seq: 4, at: 0, event: { type: 'approval.requested', toolCallId: 'a', reason: 'mode-preset:Write' } },
      { seq: 5, at: 0, event: { type: 'step.answered', routes: { q: 'question' } } },
      'nonsense',
    ])
    expect(Object.fromEntries(calls)).toEqual({
      a: {
        route: 'server',
        subAgent: { agent: 'assistant', description: 'Look' },
        isNewFile: true,
        reason: 'mode-preset:Write',
      },
      q: { route: 'question' },
    })
  })
})
