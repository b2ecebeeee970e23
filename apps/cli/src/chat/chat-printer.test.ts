import type { TurnUpdate } from '@polylogue/aap/client'
import { describe, expect, it } from 'vitest'
import { createChatPrinter } from './chat-printer.ts'
import { createRecordedScreen } from './recorded-screen.ts'

function print(updates: readonly TurnUpdate[], readCalls: readonly string[] = []): string {
  const { screen, written } = createRecordedScreen()
  const printer = createChatPrinter(screen)
  for (const update of updates) {
    if (update.type === 'tool-result') readCalls.forEach((id) => printer.markRead(id))
    printer.print({ json: {}, update })
  }
  printer.finish()
  return written()
}

const EDIT: TurnUpdate = {
  type: 'tool-call',
  toolCallId: 'e',
  name: 'Edit',
  input: { path: 'a.ts', oldText: 'let a', newText: 'const a' },
}
const DONE: TurnUpdate = { type: 'tool-result', toolCallId: 'e', text: 'Changed a.ts.' }

describe('a turn in a chat', () => {
  it('shows thinking, text and the calls on lines of their own', () => {
    expect(
      print([
        { type: 'thinking', text: 'Hm.', isWhole: false },
        { type: 'text', text: 'I **look', isWhole: false },
        { type: 'text', text: '**.', isWhole: false },
        { type: 'tool-call', toolCallId: 'b', name: 'Bash', input: { command: 'ls' } },
        { type: 'tool-result', toolCallId: 'b', text: 'a\nb\n' },
        { type: 'text', text: 'Done.', isWhole: false },
        { type: 'stopped', outcome: 'finished' },
      ]),
    ).toBe('<d>Hm.</d>\nI <b>look</b>.\n<b>●</b> Bash $ ls\n<d>  └ a</d>\n<d>    b</d>\nDone.\n')
  })

  it('shows the diff of an edit with its result', () => {
    expect(print([EDIT, DONE])).toBe(
      '<b>●</b> Edit a.ts\n<del>  - let a</del>\n<add>  + const a</add>\n<d>  └ Changed a.ts.</d>\n',
    )
  })

  it('shows it in whole lines, once they are known', () => {
    const { screen, written } = createRecordedScreen()
    const printer = createChatPrinter(screen)
    printer.print({ json: {}, update: EDIT })
    expect([printer.lacksLines('e'), printer.lacksLines('other')]).toEqual([true, false])
    printer.addDiffs('e', [{ path: 'a.ts', oldText: 'let a = 1', newText: 'const a = 1' }])
    expect(printer.lacksLines('e')).toBe(false)
    printer.print({ json: {}, update: DONE })
    expect(written().replaceAll(/<.*?>/g, '')).toBe('● Edit a.ts\n  - let a = 1\n  + const a = 1\n  └ Changed a.ts.\n')
  })

  it.each(['Error: path: a.ts does not exist', 'Tool call denied'])(
    'shows no diff of an edit that failed: %s',
    (text) => {
      expect(print([EDIT, { ...DONE, text }])).toBe(`<b>●</b> Edit a.ts\n<d>  └ ${text}</d>\n`)
    },
  )

  it('says whose result it is, if calls ran side by side', () => {
    const read = (id: string): TurnUpdate => ({ type: 'tool-call', toolCallId: id, name: 'Read', input: { path: id } })
    const result = (id: string): TurnUpdate => ({ type: 'tool-result', toolCallId: id, text: `text of ${id}` })
    expect(print([read('a'), read('b'), result('b'), result('a')]).replaceAll(/<.*?>/g, '')).toBe(
      '● Read a\n● Read b\n  └ text of b\n○ Read a\n  └ text of a\n',
    )
  })

  it('shows a plan as a list', () => {
    const todos = ['completed', 'in_progress', 'pending'].map((status) => ({ content: `is ${status}`, status }))
    const plan: TurnUpdate = { type: 'tool-call', toolCallId: 'p', name: 'TodoWrite', input: { todos } }
    expect(print([plan]).replaceAll(/<.*?>/g, '')).toBe(
      '● TodoWrite 2 of 3 open\n  [x] is completed\n  [>] is in_progress\n  [ ] is pending\n',
    )
  })

  it('shows a question by its words', () => {
    const input = { questions: [{ question: 'Which?', options: [{ label: 'Red' }] }] }
    expect(print([{ type: 'tool-call', toolCallId: 'q', name: 'AskUserQuestion', input }])).toBe(
      '<b>●</b> AskUserQuestion Which?\n',
    )
  })

  it('does not repeat a diff that the user has approved', () => {
    expect(print([EDIT, DONE], ['e'])).toBe('<b>●</b> Edit a.ts\n<d>  └ Changed a.ts.</d>\n')
  })

  it('cuts long results and says how much is left out', () => {
    const text = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n')
    const shown = print([{ type: 'tool-result', toolCallId: 'x', text }])
    const lines = shown.replaceAll(/<.*?>/g, '').match(/line \d+|… .*/g)
    const kept = (from: number): string[] => [0, 1, 2, 3].map((index) => `line ${from + index}`)
    expect(lines).toEqual([...kept(0), '… 22 more lines', ...kept(26)])
  })

  it('leaves out the empty lines before a result', () => {
    const call: TurnUpdate = { type: 'tool-call', toolCallId: 'b', name: 'Bash', input: { command: 'npm i' } }
    const result: TurnUpdate = { type: 'tool-result', toolCallId: 'b', text: '\n \r\nadded 1 package\n\ndone\n' }
    expect(print([call, result]).replaceAll(/<.*?>/g, '')).toBe('● Bash $ npm i\n  └ added 1 package\n    \n    done\n')
  })

  it('keeps the lines of a result under each other', () => {
    const read = (text: string): readonly string[] =>
      print([{ type: 'tool-result', toolCallId: 'x', text }])
        .replaceAll(/<.*?>/g, '')
        .split('\n')
    expect(read('     1\tlet a\n     2\t  b()\n    10\t}')).toEqual(['  └  1  let a', '     2    b()', '    10  }', ''])
    expect(read('  a\nb')).toEqual(['  └   a', '    b', ''])
  })

  it('wraps the first line of a result up to three rows, and cuts the others', () => {
    const why = 'Error: the tool Write may not touch a path outside of the workspace, or a file of the server itself'
    const shown = print([{ type: 'tool-result', toolCallId: 'x', text: `${why} ${why}\n${why}` }])
    expect(shown.replaceAll(/<.*?>/g, '')).toBe(
      [
        '  └ Error: the tool Write may not touch',
        '    a path outside of the workspace, or',
        '    a file of the server itself Error: …',
        '    Error: the tool Write may not touch…',
        '',
      ].join('\n'),
    )
  })

  it('cuts long lines to the width', () => {
    const shown = print([{ type: 'tool-call', toolCallId: 'x', name: 'Bash', input: { command: 'y'.repeat(90) } }])
    expect(shown.replaceAll(/<.*?>/g, '').trimEnd()).toHaveLength(40)
  })

  it('lets no control character of models and tools through', () => {
    const evil = '\u001b]0;title\u0007\u009b2J'
    const shown = print([
      { type: 'thinking', text: evil, isWhole: true },
      { type: 'text', text: evil, isWhole: true },
      { type: 'tool-call', toolCallId: evil, name: evil, input: { [evil]: evil } },
      { type: 'tool-result', toolCallId: evil, text: evil },
    ])
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })

  it('says that an answer starts again whose first text was kept', () => {
    const { screen, written } = createRecordedScreen()
    const printer = createChatPrinter(screen)
    for (const [block, text] of [
      ['4.0', 'One'],
      ['7.0', 'One and two'],
    ] as const) {
      printer.print({ json: {}, update: { type: 'text', text, isWhole: false }, block })
    }
    printer.finish()
    expect(written()).toBe('One\n<d>The answer broke off and starts again:</d>\nOne and two\n')
  })

  it('says that an answer starts again', () => {
    expect(print([{ type: 'text', text: 'One', isWhole: false }, { type: 'resync' }])).toBe(
      'One\n<d>The answer broke off and starts again:</d>\n',
    )
  })
})
