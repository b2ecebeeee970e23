// The rules in docs/contracts, and the numbers by which test names refer to them.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vitest/node'
import { ROOT } from './repository-pages.ts'

export type Contract = 'aap' | 'acp' | 'blade' | 'cluster' | 'console'

export interface Rule {
  readonly number: string
  readonly sentence: string
  readonly section: string
  readonly basis: string
}

export interface RuleReference {
  readonly contract: string
  readonly number: string
  readonly path: string
  /** The whole text that holds the reference, for the failure message. */
  readonly text: string
}

export const CONTRACTS: readonly Contract[] = ['aap', 'acp', 'blade', 'cluster', 'console']

const NUMBER = String.raw`\d+[a-z]?(?:\.\d+[a-z]?)*`
const REFERENCE = new RegExp(String.raw`\b(aap|acp|blade|cluster|console) (${NUMBER}(?:(?:, | and )${NUMBER})*)`, 'g')
const LETTERED = /^(?<ids>[A-Z]\d+(?:, [A-Z]\d+)*):/
const LETTERED_ROW = /^\| (?<ids>[A-Z]\d+(?:, [A-Z]\d+)*) \|/
const ROW = /^\| (?<number>\d[\w.]*) \| (?<sentence>.+) \| (?<section>.+) \| (?<basis>.+) \|$/

/** Ids such as `C16`, of the rules that hold at every door. */
export function readLetteredIds(): readonly string[] {
  const pages = ['docs/contracts/reliability.md', 'docs/reliability.md']
  return pages.flatMap((page) => parseLetteredIds(readFileSync(join(ROOT, page), 'utf8')))
}

/** Reads the first cell of every row; a cell may hold several ids. */
export function parseLetteredIds(markdown: string): readonly string[] {
  return markdown.split('\n').flatMap((line) => LETTERED_ROW.exec(line)?.groups?.['ids']?.split(', ') ?? [])
}

export function readRules(contract: Contract): readonly Rule[] {
  return parseRules(readFileSync(join(ROOT, 'docs/contracts', `${contract}.md`), 'utf8'))
}

/** Reads the rows of every table whose first cell is a number. */
export function parseRules(markdown: string): readonly Rule[] {
  return markdown.split('\n').flatMap((line) => {
    const cells = ROW.exec(line)?.groups
    if (!cells) return []
    const { number = '', sentence = '', section = '', basis = '' } = cells
    return [{ number, sentence, section, basis }]
  })
}

/** Reads every test file of the checkout, and the files that build tests for others. */
export function readRuleReferences(): readonly RuleReference[] {
  const patterns = [
    'apps/**/*.test.{ts,tsx}',
    'packages/**/*.test.{ts,tsx}',
    'packages/testkit/src/**/*.ts',
    'tests/**/*.ts',
  ]
  const paths = globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**', 'tests/docs/contract*'] })
  return paths.sort().flatMap((path) => findRuleReferences(path, readFileSync(join(ROOT, path), 'utf8')))
}

/** Finds references in string literals and templates: test names, and the names that mutants run. */
export function findRuleReferences(path: string, source: string): readonly RuleReference[] {
  const texts = stringsIn(parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path))
  return texts.flatMap((text) => [
    ...[...text.matchAll(REFERENCE)].flatMap(([, contract = '', numbers = '']) =>
      numbers.split(/, | and /).map((number) => ({ contract, number, path, text })),
    ),
    ...lettersIn(text).map((number) => ({ contract: 'reliability', number, path, text })),
  ])
}

function lettersIn(text: string): readonly string[] {
  return LETTERED.exec(text)?.groups?.['ids']?.split(', ') ?? []
}

function stringsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  if (typeof value !== 'object' || value === null) return []
  if ('type' in value && value.type === 'Literal' && 'value' in value)
    return typeof value.value === 'string' ? [value.value] : []
  if ('type' in value && value.type === 'TemplateElement' && 'value' in value) return [cookedText(value.value)]
  return Object.values(value).flatMap(stringsIn)
}

function cookedText(value: unknown): string {
  return typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : ''
}
