// Whether a start that went wrong would be noticed.
import { describe, expect, it } from 'vitest'
import { EXIT_CONFIG, judgeStart } from './judge-start.ts'
import type { StartOutcome } from './try-start.ts'

const refused: StartOutcome = {
  exitCode: EXIT_CONFIG,
  stdout: '',
  stderr: 'polylogue: polylogue.config.json: limits.maxSteps: must be a whole number\n',
  ms: 300,
  toStrangers: [],
}
const served: StartOutcome = { stdout: '{"url":""}', stderr: '', ms: 300, toStrangers: [401, 401] }
const expected = { ends: [EXIT_CONFIG], names: ['polylogue.config.json', 'maxSteps'], hides: ['hunter2'] }
const judge = (outcome: Partial<StartOutcome>): readonly string[] =>
  judgeStart({ ...refused, ...outcome }, expected, 2000)

describe('a refused start', () => {
  it('is in order when it says why in one line', () => {
    expect(judge({})).toEqual([])
  })

  it.each([
    ['another exit code', { exitCode: 1 }],
    ['no exit code, because it had to be killed', { exitCode: null }],
    ['two lines', { stderr: `${refused.stderr}${refused.stderr}` }],
    ['nothing', { stderr: '' }],
    ['a stack', { stderr: 'Error: maxSteps polylogue.config.json\n    at start (file:///a.ts:1:2)\n' }],
    ['no field', { stderr: 'polylogue: polylogue.config.json is wrong\n' }],
    ['no file', { stderr: 'polylogue: maxSteps is wrong\n' }],
    ['control characters', { stderr: refused.stderr.replace('whole', '\u001b[2J') }],
    ['a secret', { stderr: refused.stderr.replace('whole', 'hunter2') }],
    ['a very long line', { stderr: refused.stderr.replace('whole', 'whole '.repeat(1000)) }],
    ['something on stdout', { stdout: 'Hello' }],
    ['too much time', { ms: 2001 }],
  ])('is not with %s', (_, outcome) => {
    expect(judge(outcome)).not.toEqual([])
  })
})

describe('a server that came up', () => {
  it('is in order only where allowed, and reveals nothing to strangers', () => {
    expect(judgeStart(served, { ends: ['starts'] }, 2000)).toEqual([])
    expect(judgeStart(served, expected, 2000)).toEqual(['it came up'])
    expect(judgeStart({ ...served, toStrangers: [401, 200] }, { ends: ['starts'] }, 2000)).toEqual([
      'strangers were told 401, 200',
    ])
  })
})
