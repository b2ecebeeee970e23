import type { TurnUpdate } from '@polylogue/aap/client'
import { describe, expect, it } from 'vitest'
import type { Output, Terminal } from './terminal.ts'
import { createJsonPrinter, createTextPrinter } from './turn-printer.ts'

/** Both streams in the order in which they were written; stderr between angle brackets. */
function createRecorder(isTerminal: boolean): { readonly terminal: Terminal; readonly written: () => string } {
  let all = ''
  const output = (open: string, close: string): Output => ({
    isTerminal,
    write(text) {
      all += `${open}${text}${close}`
    },
    dim: (text) => text,
    bold: (text) => text,
  })
  return { terminal: { stdout: output('', ''), stderr: output('<', '>'), canAsk: false }, written: () => all }
}

function print(isTerminal: boolean, events: readonly TurnUpdate[]): string {
  const { terminal, written } = createRecorder(isTerminal)
  const printer = createTextPrinter(terminal)
  for (const event of events) printer.print({ json: {}, update: event })
  printer.finish()
  return written()
}

const TURN: readonly TurnUpdate[] = [
  { type: 'started' },
  { type: 'thinking', text: 'Hm.', isWhole: false },
  { type: 'text', text: 'Let me ', isWhole: false },
  { type: 'text', text: 'look.', isWhole: false },
  { type: 'tool-call', toolCallId: 'a', name: 'echo', input: { msg: 'x\ny' } },
  { type: 'tool-result', toolCallId: 'a', text: 'x\ny' },
  { type: 'text', text: 'Done.\n', isWhole: false },
  { type: 'stopped', outcome: 'finished' },
]

describe('createTextPrinter', () => {
  it('keeps text apart from thinking and notes, each on lines of its own, at a terminal', () => {
    expect(print(true, TURN)).toBe('<Hm.><\n>Let me look.\n<→ echo {"msg":"x\\ny"}\n><← x\\ny\n>Done.\n')
  })

  it('thinks in silence when output is not a terminal', () => {
    expect(print(false, TURN)).not.toContain('Hm.')
  })

  it('ends the last line of a text that was cut off', () => {
    expect(print(false, [{ type: 'text', text: 'Cut', isWhole: false }])).toBe('Cut\n')
  })

  it('spells out control characters at a terminal only', () => {
    const events: TurnUpdate[] = [{ type: 'text', text: '\u001b[2J', isWhole: true }]
    expect(print(true, events)).toBe('\\u001b[2J\n')
    expect(print(false, events)).toBe('\u001b[2J\n')
  })

  it('says that an answer starts again', () => {
    const events: TurnUpdate[] = [
      { type: 'text', text: 'One', isWhole: false },
      { type: 'resync' },
      { type: 'text', text: 'Two', isWhole: true },
    ]
    expect(print(false, events)).toBe('One\n<The answer broke off and starts again:\n>Two\n')
  })

  it('begins a line for a step that was interrupted and is asked again', () => {
    const { terminal, written } = createRecorder(false)
    const printer = createTextPrinter(terminal)
    for (const [block, delta] of [
      ['4.0', 'Be'],
      ['4.0', 'fore'],
      ['7.0', 'Before and after'],
    ] as const) {
      printer.print({ json: {}, update: { type: 'text', text: delta, isWhole: false }, block })
    }
    printer.finish()
    expect(written()).toBe('Before\nBefore and after\n')
  })

  it('shortens a long note', () => {
    expect(print(false, [{ type: 'tool-result', toolCallId: 'a', text: 'x'.repeat(1000) }]).length).toBeLessThan(250)
  })
})

describe('createJsonPrinter', () => {
  it('prints every event as it came, unknown ones too, and names the session at the start', () => {
    const { terminal, written } = createRecorder(false)
    const printer = createJsonPrinter(terminal.stdout, 'S')
    printer.print({ json: { event: 'begun' }, update: { type: 'started' } })
    printer.print({ json: { event: 'weather', sun: true } })
    printer.finish()
    expect(written()).toBe('{"event":"begun","sessionId":"S"}\n{"event":"weather","sun":true}\n')
  })
})
