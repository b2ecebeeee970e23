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

  /** Pieces of blocks, and updates that have none. */
  function printPieces(isTerminal: boolean, pieces: readonly (TurnUpdate | readonly [string, string, 'thinking'?])[]) {
    const { terminal, written } = createRecorder(isTerminal)
    const printer = createTextPrinter(terminal)
    for (const piece of pieces) {
      if ('type' in piece) printer.print({ json: {}, update: piece })
      else
        printer.print({
          json: {},
          update: { type: piece[2] ?? 'text', text: piece[1], isWhole: false },
          block: piece[0],
        })
    }
    printer.finish()
    return written()
  }

  it('says that an answer starts again whose first text was kept', () => {
    const pieces = [
      ['4.0', 'Be'],
      ['4.0', 'fore'],
      ['7.0', 'Before and after'],
    ] as const
    expect(printPieces(false, pieces)).toBe('Before\n<The answer broke off and starts again:\n>Before and after\n')
  })

  it('says it once for an answer that thinks again before it speaks', () => {
    const pieces = [
      ['4.0', 'Hm.', 'thinking'],
      ['4.1', 'Before'],
      ['7.0', 'Hm?', 'thinking'],
      ['7.1', 'After'],
    ] as const
    const again = '<The answer broke off and starts again:\n>'
    expect(printPieces(false, pieces)).toBe(`Before\n${again}After\n`)
    expect(printPieces(true, pieces)).toBe(`<Hm.><\n>Before\n${again}<Hm?><\n>After\n`)
  })

  it('goes on without a word after a tool call, and after thinking that nobody saw', () => {
    const pieces = [
      ['4.0', 'Look.'],
      { type: 'tool-call', toolCallId: 'a', name: 'echo', input: {} },
      { type: 'tool-result', toolCallId: 'a', text: 'x' },
      ['9.0', 'Hm.', 'thinking'],
      ['12.0', 'Done.'],
    ] as const
    expect(printPieces(false, pieces)).toBe('Look.\n<→ echo {}\n><← x\n>Done.\n')
  })

  it('says it once when the server lost the place', () => {
    const pieces = [['4.0', 'One'], { type: 'resync' }, ['7.0', 'Two']] as const
    expect(printPieces(false, pieces)).toBe('One\n<The answer broke off and starts again:\n>Two\n')
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
