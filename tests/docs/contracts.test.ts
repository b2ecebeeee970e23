import { describe, expect, it } from 'vitest'
import {
  CONTRACTS,
  findRuleReferences,
  parseLetteredIds,
  parseRules,
  readLetteredIds,
  readRuleReferences,
  readRules,
} from './contract-rules.ts'

const references = readRuleReferences()

/** Rules that no test in this repository names, and why. */
const NAMED_BY_NO_TEST: Readonly<Record<string, readonly string[]>> = {
  // Checked with the official clients, which the repository does not contain.
  aap: ['110', '111', '112', '113', '114', '127'],
  acp: [],
  // The server answers 501 to these.
  blade: ['26', '134', '135', '136', '137', '138', '139', '140', '141', '142', '143', '144', '145'],
  cluster: [],
  console: [],
}

describe.each(CONTRACTS)('the contract %s', (contract) => {
  const rules = readRules(contract)
  const numbers = rules.map(({ number }) => number)

  it('gives each rule a number of its own', () => {
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
  })

  it('states each rule in a sentence, with its section and its basis', () => {
    expect(rules.filter(({ sentence }) => !/^(?:[A-Z`]|\*[A-Z]).{15,}\.$/.test(sentence))).toEqual([])
    expect(rules.filter(({ section }) => section.trim() === '')).toEqual([])
    expect(rules.filter(({ basis }) => !['page', 'docs', 'client', 'ours'].includes(basis))).toEqual([])
  })

  it('has every rule that a test names', () => {
    const unknown = references.filter((found) => found.contract === contract && !numbers.includes(found.number))
    expect(unknown.map(({ path, number, text }) => `${path}: ${number} in "${text}"`)).toEqual([])
  })

  it('has no rule without a test that names it, but for those listed', () => {
    const named = new Set(references.filter((found) => found.contract === contract).map(({ number }) => number))
    expect(numbers.filter((number) => !named.has(number))).toEqual(NAMED_BY_NO_TEST[contract])
  })
})

describe('the rules that hold at every door', () => {
  it('have every id that a test names', () => {
    const ids = readLetteredIds()
    const unknown = references.filter(({ contract, number }) => contract === 'reliability' && !ids.includes(number))
    expect(unknown.map(({ path, number, text }) => `${path}: ${number} in "${text}"`)).toEqual([])
  })

  it('are read from the first cell of a table', () => {
    expect(parseLetteredIds('| id | x |\n|---|---|\n| C1 | a |\n| F16, C9 | b |\n| mutants | c |')).toEqual([
      'C1',
      'F16',
      'C9',
    ])
  })
})

describe('a reference to a rule', () => {
  const numbersIn = (source: string) =>
    findRuleReferences('x.test.ts', source).map(({ contract, number }) => `${contract} ${number}`)

  it('is found in names of tests, one or several at a time', () => {
    expect(numbersIn("it('aap 86: x', f)")).toEqual(['aap 86'])
    expect(numbersIn("describe.each([1])('acp 10.3: %s', f)")).toEqual(['acp 10.3'])
    expect(numbersIn("it('C27, T8: x', f)")).toEqual(['reliability C27', 'reliability T8'])
    expect(numbersIn('it(`blade 88a, 9 and 150: ${x}`, f)')).toEqual(['blade 88a', 'blade 9', 'blade 150'])
  })

  it('is not found in comments or in code', () => {
    expect(numbersIn("// aap 900\nit('x', () => aap(900))")).toEqual([])
  })
})

describe('a table of rules', () => {
  it('is read by its numbers', () => {
    const table = '| rule | what holds | section | basis |\n|---|---|---|---|\n| 88a | It holds. | C.1 | ours |'
    expect(parseRules(table)).toEqual([{ number: '88a', sentence: 'It holds.', section: 'C.1', basis: 'ours' }])
  })
})
