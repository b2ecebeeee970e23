import { describe, expect, it } from 'vitest'
import { countPerStore, parseProofResults } from '../../scripts/lib/proof-results.mjs'
import { formatRow, writeReliabilityPage } from '../../scripts/lib/reliability-page.mjs'

const F9 = {
  id: 'F9',
  what: 'a stream | cut',
  count: 4096,
  failures: 0,
  seed: 'willow',
  seconds: 48.8,
  commit: '0123456789',
}
const F10 = {
  ...{ id: 'F10', what: 'slow readers', count: 600, failures: 0, seed: '–', seconds: 120 },
  store: 'postgres',
} as const
const RUN = {
  results: [F10, F9],
  brokenTests: [],
  machine: '2 × a processor',
  endedAt: new Date('2026-01-02T03:34:05Z'),
  seconds: 1_800,
}

describe('RELIABILITY.md', () => {
  it('has a row for each result, F9 before F10', () => {
    const page = writeReliabilityPage(RUN)
    expect(page).toContain(
      'on 2026-01-02, on 2 × a processor. The rows took 30 minutes;\neach names the commit at which it ran last.\nNothing failed.\n\n## Results',
    )
    const rows = page.split('\n').filter((line) => /^\| F\d/.test(line))
    expect(rows).toEqual([
      '| F9 | a stream \\| cut | 4,096 | – | 0 | willow | 48.8 s | 0123456 |',
      '| F10 | slow readers | – | 600 | 0 | – | 120 s | uncommitted changes |',
    ])
  })

  it('lists the rows of each promise that ran', () => {
    const page = writeReliabilityPage(RUN)
    expect(page).toMatch(/^\| P9 \|.*\| F10 \|$/m)
    expect(page).toMatch(/^\| P6 \|.*\| F9; not in this run: F1, runner \|$/m)
    expect(page.match(/^\| P\d+ \|/gm)).toHaveLength(17)
  })

  it('names the proofs that have not run', () => {
    const page = writeReliabilityPage({ ...RUN, notRun: ['tests/a.proof.test.ts'] })
    expect(page).toContain('Nothing failed.\n\nNot run yet:\n\n- `tests/a.proof.test.ts`\n\n## Results')
  })

  it('does not hide a failure', () => {
    const failed = writeReliabilityPage({ ...RUN, results: [{ ...F9, failures: 2 }] })
    expect(failed).toContain('**Failures**: F9 failed.')
    const broken = writeReliabilityPage({ ...RUN, brokenTests: ['a test'] })
    expect(broken).toContain('**Failures**: no row failed. Failed tests:\n\n- a test')
    expect(writeReliabilityPage({ ...RUN, results: [] })).toContain('**Failures**')
  })
})

describe('the results of proofs', () => {
  it('are one line of JSON each; an incomplete line is read later', () => {
    const lines = `${JSON.stringify(F9)}\n${JSON.stringify(F10)}\n{"id":"F1`
    expect(parseProofResults(lines)).toMatchObject([F9, F10])
    expect(parseProofResults('')).toEqual([])
  })

  it('are counted for each store', () => {
    expect(countPerStore(RUN.results)).toBe(
      'SQLite: 1 rows, 4,096 cases, 0 failures; PostgreSQL: 1 rows, 600 cases, 0 failures',
    )
  })

  it('are refused when a field is missing or the store is unknown', () => {
    expect(() => parseProofResults('{"id":"F9"}\n')).toThrow('not the result of a proof')
    expect(() => parseProofResults(`${JSON.stringify({ ...F9, store: 'x' })}\n`)).toThrow('not the result of a proof')
  })

  it('are printed in one line', () => {
    expect(formatRow(F10)).toBe('== F10: 600 × slow readers: ok (postgres, seed –, 120 s)')
    expect(formatRow({ ...F10, failures: 3 })).toContain('3 FAILED')
  })

  it('print failures immediately', () => {
    const failed = { ...F10, failures: 2, complaints: ['one\nand more of it', 'two'] }
    expect(parseProofResults(`${JSON.stringify(failed)}\n`)).toEqual([failed])
    expect(formatRow(failed)).toMatch(/^== F10: .*2 FAILED.*\n   one\n   and more of it\n   two$/)
    expect(() => parseProofResults(`${JSON.stringify({ ...F10, complaints: 'one' })}\n`)).toThrow('not the result')
  })
})
