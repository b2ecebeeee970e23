import { describe, expect, it } from 'vitest'
import { sampleLines } from './sample-lines.ts'

function createSample(most: number) {
  const lines: [object, string][] = []
  let time = 0
  const log = { info: (fields: object, message: string) => void lines.push([fields, message]) }
  const sample = sampleLines(log, { now: () => time, most })
  return { lines, sample, wait: (ms: number) => void (time += ms) }
}

describe('a sample of log lines', () => {
  it('writes every line below the limit', () => {
    const { lines, sample, wait } = createSample(2)
    for (let second = 0; second < 3; second += 1) {
      sample.info(() => ({ second }), 'request')
      sample.info(() => ({ second }), 'request')
      wait(1_000)
    }
    expect(lines.map(([fields]) => fields)).toEqual([0, 0, 1, 1, 2, 2].map((second) => ({ second })))
  })

  it('leaves lines out above the limit, and says how many before the next one', () => {
    const { lines, sample, wait } = createSample(2)
    for (let index = 0; index < 7; index += 1) sample.info(() => ({ index }), 'request')
    wait(999)
    sample.info(() => ({ index: 7 }), 'request')
    expect(lines).toEqual([
      [{ index: 0 }, 'request'],
      [{ index: 1 }, 'request'],
    ])
    wait(1)
    sample.info(() => ({ index: 8 }), 'request')
    expect(lines.slice(2)).toEqual([
      [{ leftOut: 6, about: 'request' }, 'log lines were left out'],
      [{ index: 8 }, 'request'],
    ])
  })
})
